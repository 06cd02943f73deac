import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { Program } from '../../context.ts';
import { IdParams, PageQuery, responses } from '../../platform/http/schemas.ts';
import { pageAsked, paginationView } from '../../platform/http/views.ts';
import { switchPriceList } from './endedList.ts';
import {
  cancelReprice,
  getReprice,
  listChanges,
  listReprices,
  revertReprice,
  startReprice,
} from './reprices.ts';
import {
  ChangesSchema,
  OneReprice,
  RepriceBody,
  RepricesSchema,
  whatIfBody,
  WhatIfSchema,
} from './schema.ts';
import { changeView, repriceView, whatIfView } from './views.ts';
import { whatIf } from './whatIf.ts';

const tags = ['Pricing'];
const reader = { access: { scope: 'costs:read', role: 'viewer' } } as const;
const admin = { access: { scope: 'admin', role: 'admin' } } as const;

/** Previews of other prices, and reprices. */
export function repricingRoutes({ providers }: Pick<Program, 'providers'>): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.post(
      '/pricing/what-if',
      {
        config: reader,
        schema: {
          tags,
          summary: 'Preview other prices',
          description: 'What the recorded jobs would cost with another book or other rules. Stores nothing.',
          body: whatIfBody(providers.kindIds),
          response: responses(200, WhatIfSchema),
        },
      },
      async (request) => ({
        data: whatIfView(await whatIf(request.ctx, request.body)),
      }),
    );
    server.post(
      '/pricing/switch',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Switch from a price list that has ended, and reprice',
          description:
            'Chooses the list that follows, and reprices the jobs since the last day of the ended one. The answer is ' +
            'the reprice. Nothing changes where the chosen list has not ended, or another reprice is under way.',
          response: responses(202, OneReprice, [409]),
        },
      },
      async (request, reply) =>
        reply.status(202).send({ data: repriceView(await switchPriceList(request.ctx)) }),
    );
    server.register(manyReprices);
    server.register(oneReprice);
    done();
  };
}

const manyReprices: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.get(
    '/reprices',
    {
      config: admin,
      schema: {
        tags,
        summary: 'List the reprices',
        description: 'And what was taken back; newest first.',
        querystring: PageQuery,
        response: responses(200, RepricesSchema),
      },
    },
    async (request) => {
      const asked = pageAsked(request.query);
      const { tasks, total } = await listReprices(request.ctx, asked);
      return {
        data: tasks.map(repriceView),
        pagination: paginationView(asked, total),
      };
    },
  );

  server.post(
    '/reprices',
    {
      config: admin,
      schema: {
        tags,
        summary: 'Price recorded jobs anew',
        description:
          'Those that completed on these days, with the book and rules of now. Logged, and can be reverted. One at a time.',
        body: RepriceBody,
        response: responses(202, OneReprice, [409]),
      },
    },
    async (request, reply) =>
      reply.status(202).send({ data: repriceView(await startReprice(request.ctx, request.body)) }),
  );
  done();
};

const oneReprice: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.get(
    '/reprices/:id',
    {
      config: admin,
      schema: {
        tags,
        summary: 'Get a reprice',
        params: IdParams,
        response: responses(200, OneReprice, [404]),
      },
    },
    async (request) => ({ data: repriceView(await getReprice(request.ctx, request.params.id)) }),
  );

  server.get(
    '/reprices/:id/changes',
    {
      config: admin,
      schema: {
        tags,
        summary: 'List the jobs that a reprice changed',
        description: 'With what each cost before and after.',
        params: IdParams,
        querystring: PageQuery,
        response: responses(200, ChangesSchema, [404]),
      },
    },
    async (request) => {
      const asked = pageAsked(request.query);
      const { changes, total } = await listChanges(request.ctx, request.params.id, asked);
      return {
        data: changes.map(changeView),
        pagination: paginationView(asked, total),
      };
    },
  );

  server.post(
    '/reprices/:id/revert',
    {
      config: admin,
      schema: {
        tags,
        summary: 'Take a reprice back',
        description: 'Gives the jobs that it changed, and nothing has changed since, what they cost before.',
        params: IdParams,
        response: responses(202, OneReprice, [404, 409]),
      },
    },
    async (request, reply) =>
      reply.status(202).send({ data: repriceView(await revertReprice(request.ctx, request.params.id)) }),
  );

  server.post(
    '/reprices/:id/cancel',
    {
      config: admin,
      schema: {
        tags,
        summary: 'Cancel a reprice',
        description: 'What it has priced stays, and can be reverted.',
        params: IdParams,
        response: responses(200, OneReprice, [404, 409]),
      },
    },
    async (request) => ({ data: repriceView(await cancelReprice(request.ctx, request.params.id)) }),
  );
  done();
};

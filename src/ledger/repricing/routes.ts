import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { Program } from '../../context.ts';
import { idParams, PageQuery, responses } from '../../platform/http/schemas.ts';
import { readPagination, paginationView } from '../../platform/http/views.ts';
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

const params = idParams('reprice_1a7c5e9b3d0f8264c1e7');

const tags = ['Pricing'];
const reader = { access: { scope: 'costs:read', role: 'viewer' } } as const;
const admin = { access: { scope: 'admin', role: 'admin' } } as const;

export function repricingRoutes({ providers }: Pick<Program, 'providers'>): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.post(
      '/pricing/what-if',
      {
        config: reader,
        schema: {
          tags,
          summary: 'Preview other prices',
          description:
            'What the recorded jobs would cost with another price list or other rules. Stores nothing.',
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
          summary: 'Switch to the next price list and reprice',
          description:
            'Chooses the list that replaces the ended one, and reprices the jobs since its last day. Returns the ' +
            'reprice. Changes nothing if the chosen list has not ended or another reprice is running.',
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
        description: 'Reprices and their reverts, newest first.',
        querystring: PageQuery,
        response: responses(200, RepricesSchema),
      },
    },
    async (request) => {
      const page = readPagination(request.query);
      const { tasks, total } = await listReprices(request.ctx, page);
      return {
        data: tasks.map(repriceView),
        pagination: paginationView(page, total),
      };
    },
  );

  server.post(
    '/reprices',
    {
      config: admin,
      schema: {
        tags,
        summary: 'Reprice past jobs',
        description:
          'Prices the jobs that completed on these days again, with the current price list and rules. Every change is logged and can be undone. Only one reprice runs at a time.',
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
        params,
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
        description: 'With the cost of each before and after.',
        params,
        querystring: PageQuery,
        response: responses(200, ChangesSchema, [404]),
      },
    },
    async (request) => {
      const page = readPagination(request.query);
      const { changes, total } = await listChanges(request.ctx, request.params.id, page);
      return {
        data: changes.map(changeView),
        pagination: paginationView(page, total),
      };
    },
  );

  server.post(
    '/reprices/:id/revert',
    {
      config: admin,
      schema: {
        tags,
        summary: 'Undo a reprice',
        description:
          'Restores the former cost of the jobs that it changed, except those that have changed since.',
        params,
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
        description: 'Jobs priced so far keep their new price. You can undo it.',
        params,
        response: responses(200, OneReprice, [404, 409]),
      },
    },
    async (request) => ({ data: repriceView(await cancelReprice(request.ctx, request.params.id)) }),
  );
  done();
};

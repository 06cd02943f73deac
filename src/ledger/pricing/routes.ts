import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { Program } from '../../context.ts';
import { IdParams, responses } from '../../platform/http/schemas.ts';
import { getBook, listBooks } from './books.ts';
import { createBook, deleteBook, updateBook } from './changeBooks.ts';
import { getIncludedMinutes } from './includedMinutes.ts';
import type { Providers } from './provider.ts';
import { createRule, deleteRule, listRules, updateRule } from './rules.ts';
import {
  bookChangesBody,
  BookSchema,
  BooksSchema,
  DaysQuery,
  Deleted,
  IncludedMinutesSchema,
  newBookBody,
  PricingBody,
  PricingSchema,
  ruleBody,
  RuleSchema,
  RulesSchema,
  ShadowRatesBody,
  ShadowRatesSchema,
  ShadowSchema,
} from './schema.ts';
import { getPricing, updatePricing, type PricingChanges } from './settings.ts';
import { getShadowCost, getShadowRates, setShadowRates } from './shadow.ts';
import { bookView, includedMinutesView, pricingView, ruleView, shadowRateView, shadowView } from './views.ts';

const tags = ['Pricing'];
const reader = { access: { scope: 'costs:read', role: 'viewer' } } as const;
const admin = { access: { scope: 'admin', role: 'admin' } } as const;
const mostDaysBack = 365;

/** Price books, rules that map runners to prices, shadow rates, and included minutes. */
export function pricingRoutes({ providers }: Pick<Program, 'providers'>): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.register(settingsRoutes(providers));
    server.register(manyBooks(providers));
    server.register(oneBook(providers));
    server.register(ruleRoutes(providers));
    server.register(shadowRoutes(providers));
    done();
  };
}

function settingsRoutes(providers: Providers): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.get(
      '/pricing',
      {
        config: reader,
        schema: { tags, summary: 'Get what prices jobs', response: responses(200, PricingSchema) },
      },
      async (request) => ({ data: pricingView(await getPricing(request.ctx)) }),
    );

    server.put(
      '/pricing',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Choose what prices jobs',
          description:
            'Changes what is given. Jobs that come from now on are priced with it; those recorded keep their price.',
          body: PricingBody,
          response: responses(200, PricingSchema),
        },
      },
      async (request) => ({
        data: pricingView(await updatePricing(request.ctx, request.body as PricingChanges)),
      }),
    );

    server.get(
      '/pricing/included-minutes',
      {
        config: reader,
        schema: {
          tags,
          summary: 'Get what is used of the included minutes',
          description:
            "This UTC month, on GitHub's standard runners, without public repositories. An estimate: a minute takes as " +
            'many included ones as it costs more than one on 2-core Linux.',
          response: responses(200, IncludedMinutesSchema),
        },
      },
      async (request) => {
        const ctx = request.ctx;
        return { data: includedMinutesView(await getIncludedMinutes(ctx), ctx.clock.now(), providers) };
      },
    );
    done();
  };
}

function manyBooks(providers: Providers): FastifyPluginCallbackTypebox {
  const { kindIds } = providers;
  return (server, _options, done) => {
    server.get(
      '/pricing/books',
      {
        config: reader,
        schema: {
          tags,
          summary: 'List the price books',
          description: 'First those that come with the program, then your own.',
          response: responses(200, BooksSchema),
        },
      },
      async (request) => ({
        data: (await listBooks(request.ctx)).map((book) => bookView(book, providers)),
      }),
    );

    server.post(
      '/pricing/books',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Create a price book',
          description:
            'With the prices of the book it is based on, but for the kinds that it names itself. At most 50.',
          body: newBookBody(kindIds),
          response: responses(201, BookSchema, [409]),
        },
      },
      async (request, reply) => {
        const book = await createBook(request.ctx, request.body as Parameters<typeof createBook>[1]);
        return reply.status(201).send({ data: bookView(book, providers) });
      },
    );

    done();
  };
}

function oneBook(providers: Providers): FastifyPluginCallbackTypebox {
  const { kindIds } = providers;
  return (server, _options, done) => {
    server.get(
      '/pricing/books/:id',
      {
        config: reader,
        schema: {
          tags,
          summary: 'Get a price book',
          params: IdParams,
          response: responses(200, BookSchema, [404]),
        },
      },
      async (request) => ({
        data: bookView(await getBook(request.ctx, request.params.id), providers),
      }),
    );

    server.put(
      '/pricing/books/:id',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Change a price book',
          description:
            'Changes the fields that are given; `prices` are all of the book from then on. What is recorded keeps its price.',
          params: IdParams,
          body: bookChangesBody(kindIds),
          response: responses(200, BookSchema, [404, 409]),
        },
      },
      async (request) => {
        const changes = request.body as Parameters<typeof updateBook>[2];
        return {
          data: bookView(await updateBook(request.ctx, request.params.id, changes), providers),
        };
      },
    );

    server.delete(
      '/pricing/books/:id',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Delete a price book',
          params: IdParams,
          response: responses(200, Deleted, [404, 409]),
        },
      },
      async (request) => {
        await deleteBook(request.ctx, request.params.id);
        return { message: 'The price book has been deleted.' };
      },
    );
    done();
  };
}

function ruleRoutes({ kindIds }: Providers): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.get(
      '/pricing/rules',
      {
        config: reader,
        schema: {
          tags,
          summary: 'List the pricing rules',
          description: 'In the order in which they are tried, before the classification of runners.',
          response: responses(200, RulesSchema),
        },
      },
      async (request) => ({ data: (await listRules(request.ctx)).map(ruleView) }),
    );

    server.post(
      '/pricing/rules',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Create a pricing rule',
          description:
            'Runners that it matches are of a kind, or have a name and a rate of their own. At most 200.',
          body: ruleBody(kindIds),
          response: responses(201, RuleSchema, [409]),
        },
      },
      async (request, reply) =>
        reply.status(201).send({ data: ruleView(await createRule(request.ctx, request.body)) }),
    );

    server.put(
      '/pricing/rules/:id',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Change a pricing rule',
          description:
            'Changes the fields that are given. A kind takes the place of a rate, and the other way round.',
          params: IdParams,
          body: ruleBody(kindIds),
          response: responses(200, RuleSchema, [404]),
        },
      },
      async (request) => ({
        data: ruleView(await updateRule(request.ctx, request.params.id, request.body)),
      }),
    );

    server.delete(
      '/pricing/rules/:id',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Delete a pricing rule',
          params: IdParams,
          response: responses(200, Deleted, [404]),
        },
      },
      async (request) => {
        await deleteRule(request.ctx, request.params.id);
        return { message: 'The pricing rule has been deleted.' };
      },
    );
    done();
  };
}

function shadowRoutes(providers: Providers): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.get(
      '/pricing/shadow-rates',
      {
        config: reader,
        schema: { tags, summary: 'List the shadow rates', response: responses(200, ShadowRatesSchema) },
      },
      async (request) => ({ data: (await getShadowRates(request.ctx)).map(shadowRateView) }),
    );

    server.put(
      '/pricing/shadow-rates',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Set the shadow rates',
          description: 'All of them at once: what a minute on runners that nobody bills is reckoned to cost.',
          body: ShadowRatesBody,
          response: responses(200, ShadowRatesSchema),
        },
      },
      async (request) => ({
        data: (
          await setShadowRates(request.ctx, request.body.rates as Parameters<typeof setShadowRates>[1])
        ).map(shadowRateView),
      }),
    );

    server.get(
      '/pricing/shadow',
      {
        config: reader,
        schema: {
          tags,
          summary: 'Get what own runners come to at the shadow rates',
          description: 'Billed by nobody, and never part of a cost.',
          querystring: DaysQuery,
          response: responses(200, ShadowSchema),
        },
      },
      async (request) => {
        const days = Math.min(request.query.days, mostDaysBack);
        return { data: shadowView(await getShadowCost(request.ctx, days), providers) };
      },
    );
    done();
  };
}

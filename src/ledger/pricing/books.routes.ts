import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { IdParams, responses } from '../../platform/http/schemas.ts';
import {
  bookChangesBody,
  BookSchema,
  BooksSchema,
  Deleted,
  newBookBody,
  ruleBody,
  RuleSchema,
  RulesSchema,
} from './books.schema.ts';
import { createBook, deleteBook, getBook, listBooks, updateBook } from './books.ts';
import type { Providers } from './provider.ts';
import { createRule, deleteRule, listRules, updateRule } from './rules.ts';
import { bookView, ruleView } from './views.ts';

const tags = ['Pricing'];
const reader = { access: { scope: 'costs:read', role: 'viewer' } } as const;
const admin = { access: { scope: 'admin', role: 'admin' } } as const;

export function bookRoutes(providers: Providers): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.register(manyBooks(providers));
    server.register(oneBook(providers));
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
          summary: 'List the price lists',
          description: 'Shipped lists first, then your own.',
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
          summary: 'Create a price list',
          description:
            'Copies the prices of `based_on`, except for the runner kinds in `prices`. At most 50 lists.',
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
          summary: 'Get a price list',
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
          summary: 'Change a price list',
          description:
            'Changes the given fields; `prices` replaces all prices of the list. Recorded jobs keep their price.',
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
          summary: 'Delete a price list',
          params: IdParams,
          response: responses(200, Deleted, [404, 409]),
        },
      },
      async (request) => {
        await deleteBook(request.ctx, request.params.id);
        return { message: 'The price list has been deleted.' };
      },
    );
    done();
  };
}

export function ruleRoutes({ kindIds }: Providers): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.get(
      '/pricing/rules',
      {
        config: reader,
        schema: {
          tags,
          summary: 'List the pricing rules',
          description: 'In the order in which they are tried, before the built-in classification of runners.',
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
            'Maps the runners it matches to a runner kind, or gives them a name and a rate. At most 200 rules. An equal ' +
            'rule is refused with 409 `price_rule_exists`.',
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
            'Changes the given fields. A runner kind replaces a rate, and a rate replaces a runner kind.',
          params: IdParams,
          body: ruleBody(kindIds),
          response: responses(200, RuleSchema, [404, 409]),
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

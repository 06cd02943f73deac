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

/** The price books. */
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

/** The rules that map runners to prices. */
export function ruleRoutes({ kindIds }: Providers): FastifyPluginCallbackTypebox {
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

import { idParams } from '../../platform/http/schemas.ts';
import { verb } from '../../platform/http/verbs.ts';
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
import { acceptRateHint, createRule, deleteRule, listRules, updateRule } from './rules.ts';
import { bookView, ruleView } from './views.ts';

const params = idParams('book_6f2d8b4a0c1e9573a8d2');
const ruleParams = idParams('rule_3b7f1d9c5a2e8046b3f9');

const tag = 'Pricing';
export const read = { tag, access: { scope: 'costs:read', role: 'viewer' } } as const;
export const write = { tag, access: { scope: 'admin', role: 'admin' } } as const;

export const bookVerbs = ({ kindIds }: Providers) => [
  verb({
    ...read,
    name: 'price-list list',
    at: 'GET /pricing/books',
    title: 'List the price lists',
    page: '/settings/price-history',
    description: 'Shipped lists first, then your own.',
    answer: BooksSchema,
    columns: [['id', 'book'], 'name', ['is_chosen', 'chosen'], 'based_on', ['last_day', 'ended']],
    run: async (ctx) => (await listBooks(ctx)).map((book) => bookView(book, ctx.providers)),
  }),
  verb({
    ...write,
    name: 'price-list create',
    at: 'POST /pricing/books',
    title: 'Create a price list',
    description:
      'Copies the prices of `based_on`, except for the runner kinds in `prices`. At most 50 lists.',
    body: newBookBody(kindIds),
    status: 201,
    answer: BookSchema,
    faults: [409],
    run: async (ctx, { body }) =>
      bookView(await createBook(ctx, body as Parameters<typeof createBook>[1]), ctx.providers),
  }),
  verb({
    ...read,
    name: 'price-list get',
    at: 'GET /pricing/books/:id',
    title: 'Get a price list',
    params,
    answer: BookSchema,
    columns: ['runner_kind', ['title', 'runner'], 'usd_per_minute', ['effective_from', 'from']],
    faults: [404],
    run: async (ctx, { params: { id } }) => bookView(await getBook(ctx, id), ctx.providers),
  }),
  verb({
    ...write,
    name: 'price-list update',
    at: 'PUT /pricing/books/:id',
    title: 'Change a price list',
    description:
      'Changes the given fields; `prices` replaces all prices of the list. Recorded jobs keep their price.',
    params,
    body: bookChangesBody(kindIds),
    answer: BookSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id }, body }) =>
      bookView(await updateBook(ctx, id, body as Parameters<typeof updateBook>[2]), ctx.providers),
  }),
  verb({
    ...write,
    name: 'price-list delete',
    at: 'DELETE /pricing/books/:id',
    title: 'Delete a price list',
    params,
    answer: Deleted,
    isWhole: true,
    faults: [404, 409],
    run: async (ctx, { params: { id } }) => {
      await deleteBook(ctx, id);
      return { message: 'The price list has been deleted.' };
    },
  }),
];

export const ruleVerbs = ({ kindIds }: Providers) => [
  verb({
    ...read,
    name: 'price rule list',
    at: 'GET /pricing/rules',
    title: 'List the pricing rules',
    page: '/settings/pricing',
    description: 'In the order in which they are tried, before the built-in classification of runners.',
    answer: RulesSchema,
    run: async (ctx) => (await listRules(ctx)).map(ruleView),
  }),
  verb({
    ...write,
    name: 'price rule create',
    at: 'POST /pricing/rules',
    title: 'Create a pricing rule',
    description:
      'Maps the runners it matches to a runner kind, or gives them a name and a rate. At most 200 rules. An equal ' +
      'rule is refused with 409 `price_rule_exists`.',
    body: ruleBody(kindIds),
    status: 201,
    answer: RuleSchema,
    faults: [409],
    run: async (ctx, { body }) => ruleView(await createRule(ctx, body)),
  }),
  verb({
    ...write,
    name: 'price rule update',
    at: 'PUT /pricing/rules/:id',
    title: 'Change a pricing rule',
    description:
      'Changes the given fields. A runner kind replaces a rate, and a rate replaces a runner kind.',
    params: ruleParams,
    body: ruleBody(kindIds),
    answer: RuleSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id }, body }) => ruleView(await updateRule(ctx, id, body)),
  }),
  verb({
    ...write,
    name: 'price rule delete',
    at: 'DELETE /pricing/rules/:id',
    title: 'Delete a pricing rule',
    params: ruleParams,
    answer: Deleted,
    isWhole: true,
    faults: [404],
    run: async (ctx, { params: { id } }) => {
      await deleteRule(ctx, id);
      return { message: 'The pricing rule has been deleted.' };
    },
  }),
  verb({
    ...write,
    name: 'price hint accept',
    at: 'POST /pricing/hints/:id/accept',
    title: 'Use the rate of a hint',
    description:
      'Makes a pricing rule with its rates, after your other rules. You can change or delete it like any rule. Recorded ' +
      'jobs keep their price until you reprice them.',
    params: idParams('blacksmith_2vcpu_ubuntu'),
    status: 201,
    answer: RuleSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id } }) => ruleView(await acceptRateHint(ctx, id)),
  }),
];

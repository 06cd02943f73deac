import { idParams, pageOf, PageQuery } from '../../platform/http/schemas.ts';
import { deletes, type VerbContext, verbsWith } from '../../platform/http/verbs.ts';
import { answerPage } from '../../platform/http/views.ts';
import { apiFields, ourFields } from '../../platform/lib/apiFields.ts';
import type { BackfillProgram } from '../backfills/backfill.ts';
import {
  accountView,
  cancelFetch,
  createAccount,
  deleteAccount,
  fetchView,
  getFetch,
  listAccounts,
  listFetches,
  startFetch,
} from './accounts.ts';
import { AccountSchema, AccountsSchema, FetchSchema, NewAccountBody, NewFetchBody } from './schema.ts';

const params = idParams('bft_6d2b8f4a1c9e3075d8b2');

const tag = 'Bills';
const read = { tag, access: { scope: 'costs:read', role: 'viewer' } } as const;
const write = { tag, access: { scope: 'admin', role: 'admin' } } as const;

const verb = verbsWith<VerbContext & BackfillProgram>();

const accountVerbs = [
  verb({
    ...read,
    name: 'bill account list',
    at: 'GET /bills/accounts',
    title: 'List the bill accounts',
    page: '/bill',
    description: 'The accounts at GitHub whose bills are fetched every night, oldest first.',
    answer: AccountsSchema,
    columns: ['id', 'kind', 'login', ['fetched_at', 'fetched'], ['fetched_until', 'until'], 'fault'],
    run: async (ctx) => {
      const { accounts, suggested } = await listAccounts(ctx);
      const now = ctx.clock.now();
      return {
        accounts: accounts.map((account) => accountView(account, now)),
        suggested: suggested && apiFields(suggested),
      };
    },
  }),
  verb({
    ...write,
    name: 'bill account create',
    at: 'POST /bills/accounts',
    title: 'Connect a bill account',
    description:
      "Fetches the account's bill now, for 13 months, and then every night. The credentials of the source need the " +
      'organization permission "Administration: read", for a user "Plan: read", and for an enterprise those of an ' +
      'owner or a billing manager.',
    body: NewAccountBody,
    bodyIsOptional: true,
    status: 201,
    answer: AccountSchema,
    faults: [409],
    run: async (ctx, { body }) => accountView(await createAccount(ctx, ourFields(body)), ctx.clock.now()),
  }),
  verb({
    ...write,
    name: 'bill account delete',
    at: 'DELETE /bills/accounts/:id',
    title: 'Disconnect a bill account',
    description: 'Its bill is not fetched anymore. The fetched months stay.',
    ...deletes('bac_3f9a1c7e5b2d8046e1c4', deleteAccount),
    faults: [404],
  }),
];

const fetchVerbs = [
  verb({
    ...write,
    name: 'bill fetch start',
    at: 'POST /bills/fetches',
    title: 'Fetch a bill',
    description:
      'Reads the months that are not stored or can still change. Answers with the fetch that is under way, if there is one.',
    body: NewFetchBody,
    bodyIsOptional: true,
    status: 202,
    answer: FetchSchema,
    run: async (ctx, { body }) => fetchView(await startFetch(ctx, body.account_id), ctx.clock.now()),
  }),
  verb({
    ...read,
    name: 'bill fetch list',
    at: 'GET /bills/fetches',
    title: 'List the fetches of bills',
    description: 'Newest first.',
    query: PageQuery,
    answer: pageOf(FetchSchema),
    isWhole: true,
    columns: [
      'id',
      ['account_id', 'account'],
      ['created_at', 'began'],
      'status',
      ['progress.done', 'done'],
      'error',
    ],
    run: (ctx, { query }) => {
      const now = ctx.clock.now();
      return answerPage(
        query,
        (page) => listFetches(ctx, page),
        (each) => fetchView(each, now),
      );
    },
  }),
  verb({
    ...read,
    name: 'bill fetch get',
    at: 'GET /bills/fetches/:id',
    title: 'Get a fetch of a bill',
    params,
    answer: FetchSchema,
    faults: [404],
    run: async (ctx, { params: { id } }) => fetchView(await getFetch(ctx, id), ctx.clock.now()),
  }),
  verb({
    ...write,
    name: 'bill fetch cancel',
    at: 'POST /bills/fetches/:id/cancel',
    title: 'Cancel a fetch of a bill',
    description: 'The stored months stay.',
    params,
    answer: FetchSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id } }) => fetchView(await cancelFetch(ctx, id), ctx.clock.now()),
  }),
];

export const billFetchVerbs = [...accountVerbs, ...fetchVerbs];

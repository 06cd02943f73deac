import { idParams, PageQuery } from '../../platform/http/schemas.ts';
import { verb } from '../../platform/http/verbs.ts';
import { answerPage } from '../../platform/http/views.ts';
import type { Providers } from '../pricing/provider.ts';
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
  RepriceBody,
  RepriceSchema,
  RepricesSchema,
  whatIfBody,
  WhatIfSchema,
} from './schema.ts';
import { changeView, repriceView, whatIfView } from './views.ts';
import { whatIf } from './whatIf.ts';

const params = idParams('reprice_1a7c5e9b3d0f8264c1e7');

const tag = 'Pricing';
const admin = { tag, access: { scope: 'admin', role: 'admin' } } as const;

export const repricingVerbs = (providers: Providers) => [whatIfVerb(providers), ...repriceVerbs];

const whatIfVerb = ({ kindIds }: Providers) =>
  verb({
    tag,
    access: { scope: 'costs:read', role: 'viewer' },
    name: 'price what-if',
    at: 'POST /pricing/what-if',
    title: 'Preview other prices',
    description: 'What the recorded jobs would cost with another price list or other rules. Stores nothing.',
    body: whatIfBody(kindIds),
    answer: WhatIfSchema,
    run: async (ctx, { body }) => whatIfView(await whatIf(ctx, body)),
  });

const repriceVerbs = [
  verb({
    ...admin,
    name: 'price switch',
    at: 'POST /pricing/switch',
    title: 'Switch to the next price list and reprice',
    description:
      'Chooses the list that replaces the ended one, and reprices the jobs since its last day. Returns the ' +
      'reprice. Changes nothing if the chosen list has not ended or another reprice is running.',
    status: 202,
    answer: RepriceSchema,
    faults: [409],
    run: async (ctx) => repriceView(await switchPriceList(ctx)),
  }),
  verb({
    ...admin,
    name: 'reprice list',
    at: 'GET /reprices',
    title: 'List the reprices',
    page: '/settings/price-history',
    description: 'Reprices and their reverts, newest first.',
    query: PageQuery,
    answer: RepricesSchema,
    columns: [
      ['id', 'reprice'],
      'from',
      'to',
      ['book_id', 'price list'],
      'reverts',
      'dry_run',
      'status',
      'changed_jobs',
      'difference',
    ],
    isWhole: true,
    run: (ctx, { query }) => answerPage(query, (page) => listReprices(ctx, page), repriceView),
  }),
  verb({
    ...admin,
    name: 'reprice run',
    at: 'POST /reprices',
    title: 'Reprice past jobs',
    description:
      'Prices the jobs that completed on these days again, with the current price list and rules. Every change is logged and can be undone. Only one reprice runs at a time.',
    body: RepriceBody,
    status: 202,
    answer: RepriceSchema,
    faults: [409],
    run: async (ctx, { body }) => repriceView(await startReprice(ctx, body)),
  }),
  verb({
    ...admin,
    name: 'reprice get',
    at: 'GET /reprices/:id',
    title: 'Get a reprice',
    params,
    answer: RepriceSchema,
    faults: [404],
    run: async (ctx, { params: { id } }) => repriceView(await getReprice(ctx, id)),
  }),
  verb({
    ...admin,
    name: 'reprice change list',
    at: 'GET /reprices/:id/changes',
    title: 'List the jobs that a reprice changed',
    description: 'With the cost of each before and after.',
    params,
    query: PageQuery,
    answer: ChangesSchema,
    columns: [
      ['run_id', 'run'],
      'attempt',
      ['job_id', 'job'],
      ['before.runner_kind', 'runner before'],
      ['before.cost', 'before'],
      ['after.runner_kind', 'runner after'],
      ['after.cost', 'after'],
    ],
    isWhole: true,
    faults: [404],
    run: (ctx, { params: { id }, query }) =>
      answerPage(query, (page) => listChanges(ctx, id, page), changeView),
  }),
  verb({
    ...admin,
    name: 'reprice revert',
    at: 'POST /reprices/:id/revert',
    title: 'Undo a reprice',
    description:
      'Restores the former cost of the jobs that it changed, except those that have changed since.',
    params,
    status: 202,
    answer: RepriceSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id } }) => repriceView(await revertReprice(ctx, id)),
  }),
  verb({
    ...admin,
    name: 'reprice cancel',
    at: 'POST /reprices/:id/cancel',
    title: 'Cancel a reprice',
    description: 'Jobs priced so far keep their new price. You can undo it.',
    params,
    answer: RepriceSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id } }) => repriceView(await cancelReprice(ctx, id)),
  }),
];

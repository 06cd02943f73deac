import type { Logger } from 'pino';
import { createCoalescer } from '../../platform/db/coalesce.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { type VerbContext, verbsWith } from '../../platform/http/verbs.ts';
import { readPagination } from '../../platform/http/views.ts';
import { compareBill } from './compareBill.ts';
import { closeMonth, monthCloseView } from './monthClose.ts';
import { billedMonthView, sumBilledMonths } from './months.ts';
import { reconciliationView } from './rows.ts';
import {
  BilledMonthsQuery,
  BilledMonthsSchema,
  MonthCloseSchema,
  ReconciliationQuery,
  ReconciliationSchema,
} from './schema.ts';

const tag = 'Bills';
const read = { tag, access: { scope: 'costs:read', role: 'viewer' } } as const;

const verb = verbsWith<VerbContext & { log: Logger }>();

const coalesce = createCoalescer<Awaited<ReturnType<typeof sumBilledMonths>>>();

export const billVerbs = [
  verb({
    ...read,
    name: 'bill reconcile',
    at: 'GET /bills/reconciliation',
    title: 'Compare our costs with the bill',
    page: '/bill',
    assistant: true,
    description:
      'Compares recorded costs with imported bill reports and explains the differences. By default, ' +
      'covers the days of the reports. At most 93 days with `by=all`, otherwise 366. An organization ' +
      'can have one running comparison and a few waiting ones.',
    query: ReconciliationQuery,
    answer: ReconciliationSchema,
    isWhole: true,
    columns: [
      'day',
      'month',
      'sku',
      'repository',
      'our_cost',
      'bill_gross',
      'bill_discount',
      'bill_net',
      'difference',
      'unexplained',
    ],
    run: async (ctx, { query: { page, per_page, ...asked } }) => {
      const found = await compareBill(ctx, asked);
      return reconciliationView(found, readPagination({ page, per_page }));
    },
  }),
  verb({
    ...read,
    name: 'bill month list',
    at: 'GET /bills/months',
    title: 'Sum the bill by month',
    description:
      'What the reports bill in each month: everything, and each product by repository. `compute` is what ' +
      '`GET /api/v1/bills/reconciliation?by=month` has as `bill_net`, but without the comparison. At most 366 days. ' +
      "A first month of which only the last days are in the plan's history is left out.",
    query: BilledMonthsQuery,
    answer: BilledMonthsSchema,
    run: async (ctx, { query }) => {
      const key = JSON.stringify([ctx.actor.orgId, ctx.plan, query]);
      const months = await coalesce(key, () => sumBilledMonths(ctx, query));
      return [...months].map(([month, billed]) => billedMonthView(month, billed));
    },
  }),
  verb({
    ...read,
    name: 'bill month get',
    at: 'GET /bills/months/:id',
    title: 'Get the close of a month',
    page: '/bill?view=close',
    description:
      'One month for finance: what was billed, what Runcost counted at list prices, why they differ, and what the ' +
      'largest teams cost. The reasons add up to the difference, and the teams to the total.',
    params: idParams('2026-03'),
    answer: MonthCloseSchema,
    faults: [404],
    run: async (ctx, { params: { id } }) => monthCloseView(await closeMonth(ctx, id)),
  }),
];

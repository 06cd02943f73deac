import type { Logger } from 'pino';
import { createCoalescer } from '../../platform/db/coalesce.ts';
import { type VerbContext, verbsWith } from '../../platform/http/verbs.ts';
import { readPagination } from '../../platform/http/views.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { bigintsAsText } from '../../platform/lib/money.ts';
import { billedMonthView, sumBilledMonths } from './months.ts';
import { findVersion, reconcile } from './reconcile.ts';
import { type Reconciliation, reconciliationView } from './rows.ts';
import {
  BilledMonthsQuery,
  BilledMonthsSchema,
  ReconciliationQuery,
  ReconciliationSchema,
} from './schema.ts';

const tag = 'Bills';
const read = { tag, access: { scope: 'costs:read', role: 'viewer' } } as const;

const verb = verbsWith<VerbContext & { log: Logger }>();

const takeTurn = createTurns();
const keep = keepLatest<Reconciliation>();
const coalesce = createCoalescer<Awaited<ReturnType<typeof sumBilledMonths>>>();

const tooManyWait = new PublicError(
  'rate_limited',
  'reconciliation_busy',
  'Other comparisons of this organization are waiting. Try again in 5 seconds.',
);

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
    run: async (ctx, { query: { page, per_page, ...asked } }, { reply }) => {
      const { orgId } = ctx.actor;
      const found = await takeTurn(orgId, async () => {
        const key = JSON.stringify([orgId, asked, await findVersion(ctx, asked)], bigintsAsText);
        return keep(key, () => reconcile(ctx, asked));
      });
      if (found) return reconciliationView(found, readPagination({ page, per_page }));
      reply.header('retry-after', '5');
      throw tooManyWait;
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
];

const maxWaiting = 3;

/** Runs one task per key at a time, because each uses much memory. Returns null if too many are waiting. */
function createTurns() {
  const queues = new Map<string, { members: number; last: Promise<unknown> }>();

  return async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T | null> {
    const queue = queues.get(key) ?? { members: 0, last: Promise.resolve() };
    if (queue.members > maxWaiting) return null;
    queues.set(key, queue);
    queue.members++;
    const mine = queue.last.then(work).finally(() => {
      if (--queue.members === 0) queues.delete(key);
    });
    queue.last = mine.catch(() => {});
    return mine;
  };
}

const keptMilliseconds = 60_000;

/** Keeps the latest result for a minute, for its other pages. Only one, because it can be large. */
function keepLatest<T>() {
  let cached: { key: string; result: T } | null = null;

  return async (key: string, work: () => Promise<T>): Promise<T> => {
    if (cached?.key === key) return cached.result;
    const latest = { key, result: await work() };
    cached = latest;
    setTimeout(() => {
      if (cached === latest) cached = null;
    }, keptMilliseconds).unref();
    return latest.result;
  };
}

import { TooManyRequests } from '../../platform/lib/errors.ts';
import { bigintsAsText } from '../../platform/lib/money.ts';
import { findVersion, reconcile, type Asked, type ReconcileContext } from './reconcile.ts';
import type { Reconciliation } from './rows.ts';

const takeTurn = createTurns();
const keep = keepLatest<Reconciliation>();

/** One comparison of an organization at a time, and the latest for a minute. */
export async function compareBill(ctx: ReconcileContext, asked: Asked): Promise<Reconciliation> {
  const { orgId } = ctx.actor;
  const found = await takeTurn(orgId, async () => {
    const key = JSON.stringify([orgId, asked, await findVersion(ctx, asked)], bigintsAsText);
    return keep(key, () => reconcile(ctx, asked));
  });
  if (found) return found;
  const message = 'Other comparisons of this organization are waiting. Try again in 5 seconds.';
  throw new TooManyRequests(message, 5, 'reconciliation_busy');
}

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

import { isDeepStrictEqual } from 'node:util';
import type { Program } from '../../context.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { inSnapshot } from '../../platform/db/inSnapshot.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { taskPoller, type Advance, type DoPiece } from '../../platform/work/tasks.ts';
import type { Poller } from '../../platform/work/worker.ts';
import { lockCosts } from '../../tenancy/organizations/lockCosts.ts';
import { priceJob } from '../pricing/cost.ts';
import { findStoredPriceList, readPriceList } from '../pricing/findPriceList.ts';
import type { PriceList } from '../pricing/priceList.ts';
import { addPriceChanges } from '../runs/addPriceChanges.ts';
import type { PriceChange } from '../runs/contributions.ts';
import {
  findAlikeJobs,
  findChangePage,
  findJobPage,
  findNewPrices,
  restorePrices,
  saveNewPrices,
  type AlikeJobs,
  type Difference,
  type NewPrice,
} from './newPrices.queries.ts';
import { factsOfCost, pricedFacts } from './pricedFacts.ts';
import { secondsCount } from './priceGroups.ts';
import { repriceKind, type Reprice, type RepriceInput, type RepriceState } from './repriceTask.ts';

/** What pricing recorded jobs again works with. */
export type RepricingProgram = Pick<Program, 'db' | 'clock' | 'providers'>;

type Save = (db: Database | Transaction, advance: Advance<RepriceState>) => Promise<void>;

const mostJobsAPiece = 1_000;
const fewestJobsAPiece = 50;
/** For so long everybody else waits for the organization's costs, and for all of the embedded database. */
const longestPieceMilliseconds = 400;

/** Reprices recorded jobs, a piece at a time. */
export function repricingPoller(program: RepricingProgram, size = mostJobsAPiece): Poller {
  return taskPoller(program, repriceKind, doReprice(program, size));
}

/**
 * Prices the next jobs anew, or gives the next ones back what they cost, in a transaction with all sums and the log:
 * killed between two pieces it goes on with the next, and what is recorded meanwhile comes before or after.
 */
export function doReprice(
  program: RepricingProgram,
  mostJobs = mostJobsAPiece,
): DoPiece<RepriceInput, RepriceState> {
  const { db, clock } = program;
  let size = mostJobs;
  return async (task, save) => {
    const { input } = task;
    const startedAt = clock.now().getTime();
    if (input.action === 'revert') await revertPiece(db, task, input, save, size);
    else await repricePiece(program, task, input, save, size);
    size = nextSize(size, clock.now().getTime() - startedAt, mostJobs);
  };
}

/** Half as many jobs after a piece that took too long, twice as many after one that leaves room for it. */
function nextSize(size: number, milliseconds: number, mostJobs: number): number {
  if (milliseconds > longestPieceMilliseconds)
    return Math.min(size, Math.max(fewestJobsAPiece, Math.floor(size / 2)));
  return milliseconds < longestPieceMilliseconds / 2 ? Math.min(size * 2, mostJobs) : size;
}

async function repricePiece(
  { db, providers }: RepricingProgram,
  task: Reprice,
  input: Extract<RepriceInput, { action: 'reprice' }>,
  save: Save,
  size: number,
): Promise<void> {
  const { orgId, state } = task;
  const { from, to, isDryRun } = input;
  const list = readPriceList(input.list, providers);
  const piece = async (tx: Transaction) => {
    if (!isDryRun) await lockCosts(tx, orgId);
    if (!isDryRun && !isDeepStrictEqual(await findStoredPriceList(tx, orgId), input.list))
      throw pricesChanged();
    const next = await findJobPage(tx, orgId, { from, to, after: state.cursor, limit: size });
    if (!next) return save(tx, advanced(task, 0, true));
    const page = { from, to, after: state.cursor, last: next.last };
    const alike = await findAlikeJobs(tx, orgId, page, secondsCount(list.rules, providers), providers);
    const prices = alike.map((jobs) => newPrice(jobs, list));
    const differences = isDryRun ? await findNewPrices(tx, prices) : await saveNewPrices(tx, task, prices);
    if (!isDryRun) await addPriceChanges(tx, orgId, differences.filter(isChange).map(priceChange));
    await save(tx, {
      state: { ...withDifferences(state, differences), cursor: next.last },
      ...advanced(task, next.jobs, next.jobs < size),
    });
  };
  // A dry run keeps nobody from recording: it looks at the jobs as they were when it looked for them.
  if (isDryRun) await inSnapshot(db, piece);
  else await db.transaction().execute(piece);
}

/** What has been recorded since is of the prices of now, and must not get those of before. */
function pricesChanged(): PublicError {
  const message =
    'The prices or rules have been changed since it began. What it has priced stays; start another one for the rest.';
  return new PublicError('conflict', 'prices_changed', message);
}

async function revertPiece(
  db: Database,
  task: Reprice,
  { repriceId }: Extract<RepriceInput, { action: 'revert' }>,
  save: Save,
  size: number,
): Promise<void> {
  const { orgId, state } = task;
  await db.transaction().execute(async (tx) => {
    await lockCosts(tx, orgId);
    const next = await findChangePage(tx, orgId, { repriceId, after: state.cursor, limit: size });
    if (!next) return save(tx, advanced(task, 0, true));
    const differences = await restorePrices(tx, task, { repriceId, after: state.cursor, last: next.last });
    await addPriceChanges(tx, orgId, differences.map(priceChange));
    const reached = withDifferences(state, differences);
    const changed = reached.changedJobs - state.changedJobs;
    await save(tx, {
      state: {
        ...reached,
        cursor: { ...next.last, completedAt: '' },
        skippedJobs: state.skippedJobs + next.jobs - changed,
      },
      ...advanced(task, next.jobs, next.jobs < size),
    });
  });
}

/** Jobs come and go while it is under way: what there was to do is known at the end, and is never less than was done. */
function advanced(task: Reprice, jobs: number, isDone: boolean): Advance<RepriceState> {
  const done = Number(task.done) + jobs;
  return { done, total: isDone ? done : Math.max(done, Number(task.total ?? 0)), isDone };
}

function newPrice(jobs: AlikeJobs, list: PriceList): NewPrice {
  const before = pricedFacts(jobs);
  const after = factsOfCost(priceJob(jobs, list));
  return { jobRows: jobs.jobRows, before, after, isChanged: !isDeepStrictEqual(before, after) };
}

function isChange({ isChanged }: Difference): boolean {
  return isChanged;
}

function priceChange(difference: Difference): PriceChange {
  const { day, workflowId, labels, runnerGroup, jobs } = difference;
  return {
    ...{ day, workflowId, labels, runnerGroup, jobs: Number(jobs) },
    before: {
      runnerKind: difference.kindBefore,
      isUnpriced: difference.wasUnpriced,
      minutes: Number(difference.minutesBefore),
      costNanos: difference.nanosBefore,
    },
    after: {
      runnerKind: difference.kindAfter,
      isUnpriced: difference.isUnpriced,
      minutes: Number(difference.minutesAfter),
      costNanos: difference.nanosAfter,
    },
  };
}

/** The state with what was looked at and changed, but for how far it has come. */
function withDifferences(state: RepriceState, differences: readonly Difference[]): RepriceState {
  const sum = (nanos: (difference: Difference) => bigint) =>
    differences.reduce((total, difference) => total + nanos(difference), 0n);
  return {
    ...state,
    changedJobs: state.changedJobs + Number(sum(({ isChanged, jobs }) => (isChanged ? jobs : 0n))),
    beforeNanos: (BigInt(state.beforeNanos) + sum(({ nanosBefore }) => nanosBefore)).toString(),
    afterNanos: (BigInt(state.afterNanos) + sum(({ nanosAfter }) => nanosAfter)).toString(),
  };
}

import { isDeepStrictEqual } from 'node:util';
import type { Program } from '../../context.ts';
import { inSnapshot, type Database, type Transaction } from '../../platform/db/database.ts';
import { dayOf } from '../../platform/lib/days.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { taskPoller, type Advance, type DoPiece } from '../../platform/work/tasks.ts';
import type { Poller } from '../../platform/work/worker.ts';
import { lockCosts } from '../../tenancy/organizations/organizations.ts';
import { priceJob } from '../pricing/cost.ts';
import { isFreeRun } from '../pricing/netCost.ts';
import { findStoredPriceList, readPriceList } from '../pricing/priceList.ts';
import { changePrices } from '../runs/changePrices.ts';
import { priceColumns, storedPrice, type JobPrice } from '../runs/history.ts';
import {
  findLoggedJobs,
  findPaidJobs,
  logChanges,
  type JobPlace,
  type LoggedPrice,
  type RecordedJob,
} from './queries.ts';
import { repriceKind, type Reprice, type RepriceInput, type RepriceState } from './reprices.ts';

export type RepricingProgram = Pick<Program, 'db' | 'clock' | 'providers' | 'telemetry'>;

type Save = (db: Database | Transaction, advance: Advance<RepriceState>) => Promise<void>;

const maxPieceJobs = 1_000;
const minPieceJobs = 50;
/** Meanwhile other writers wait for the organization's lock. */
const maxPieceMilliseconds = 400;

export function repricingPollers(program: RepricingProgram): Poller[] {
  return [repricingPoller(program)];
}

export function repricingPoller(program: RepricingProgram, size = maxPieceJobs): Poller {
  return taskPoller(program, repriceKind, doReprice(program, size));
}

export function doReprice(
  program: RepricingProgram,
  maxJobs = maxPieceJobs,
): DoPiece<RepriceInput, RepriceState> {
  const { clock } = program;
  let size = maxJobs;
  return async (task, save) => {
    const { input } = task;
    const startedAt = clock.now().getTime();
    if (input.action === 'revert') await revertPiece({ ...program, task, save, size }, input.repriceId);
    else await repricePiece({ ...program, task, save, size }, input);
    size = nextSize(size, clock.now().getTime() - startedAt, maxJobs);
  };
}

function nextSize(size: number, milliseconds: number, maxJobs: number): number {
  if (milliseconds > maxPieceMilliseconds)
    return Math.min(size, Math.max(minPieceJobs, Math.floor(size / 2)));
  return milliseconds < maxPieceMilliseconds / 2 ? Math.min(size * 2, maxJobs) : size;
}

type Piece = Pick<Program, 'db' | 'providers'> & { task: Reprice; save: Save; size: number };
type PricedJob = { job: RecordedJob; before: JobPrice; after: JobPrice };

async function repricePiece(
  { db, providers, task, save, size }: Piece,
  { from, to, isDryRun, isUnpricedOnly = false, list: stored }: Extract<RepriceInput, { action: 'reprice' }>,
): Promise<void> {
  const { orgId, state } = task;
  const list = readPriceList(stored, providers);
  const piece = async (tx: Transaction) => {
    const locked = isDryRun ? null : await lockCosts(tx, orgId);
    if (!isDryRun && !isDeepStrictEqual(await findStoredPriceList(tx, orgId), stored)) throw pricesChanged();
    const jobs = await findPaidJobs(tx, orgId, { from, to, after: state.cursor, limit: size });
    const concerned = isUnpricedOnly ? jobs.filter((job) => job.isUnpriced) : jobs;
    const priced = concerned.map((job) => {
      return { job, before: priceOf(job), after: storedPrice(priceJob(job, list)) };
    });
    const changes = priced.filter(({ before, after }) => !isDeepStrictEqual(before, after));
    if (locked) await saveChanges(tx, { task, providers, ...locked }, changes);
    await save(tx, {
      state: { ...stateAfter(state, priced, changes.length), cursor: placeOf(jobs.at(-1)) ?? state.cursor },
      ...advanced(task, jobs.length, jobs.length < size),
    });
  };
  if (isDryRun) await inSnapshot(db, piece);
  else await db.transaction().execute(piece);
}

function pricesChanged(): PublicError {
  const message =
    'The prices or rules changed while it was running. Jobs priced so far keep their new price; start another reprice for the rest.';
  return new PublicError('conflict', 'prices_changed', message);
}

async function revertPiece({ db, providers, task, save, size }: Piece, repriceId: string): Promise<void> {
  const { orgId, state } = task;
  await db.transaction().execute(async (tx) => {
    const locked = await lockCosts(tx, orgId);
    const logged = await findLoggedJobs(tx, orgId, { repriceId, after: state.cursor, limit: size });
    const changes = logged
      .filter((job) => job.hasSameFacts && isDeepStrictEqual(toLogged(priceOf(job)), job.after))
      .map((job) => ({ job, before: priceOf(job), after: fromLogged(job.before) }));
    await saveChanges(tx, { task, providers, ...locked }, changes);
    await save(tx, {
      state: {
        ...stateAfter(state, changes, changes.length),
        skippedJobs: state.skippedJobs + logged.length - changes.length,
        cursor: placeOf(logged.at(-1)) ?? state.cursor,
      },
      ...advanced(task, logged.length, logged.length < size),
    });
  });
}

async function saveChanges(
  tx: Transaction,
  {
    task: { orgId, id },
    providers,
    storesJobFacts,
  }: Pick<Piece, 'task' | 'providers'> & { storesJobFacts: boolean },
  changes: readonly PricedJob[],
): Promise<void> {
  if (changes.length === 0) return;
  const charged = changes.map(({ job, ...prices }) => {
    return { job: { ...job, isFree: isFreeRun(job, dayOf(job.completedAt), providers) }, ...prices };
  });
  await changePrices(tx, { orgId, storesJobFacts }, charged);
  const log = changes.map(({ job, before, after }) => {
    return { ...job, before: toLogged(before), after: toLogged(after) };
  });
  await logChanges(tx, { orgId, id }, log);
}

function priceOf(job: JobPrice): JobPrice {
  return Object.fromEntries(priceColumns.map((name) => [name, job[name]])) as JobPrice;
}

function toLogged(price: JobPrice): LoggedPrice {
  const { nanosPerMinute, costNanos } = price;
  return { ...price, nanosPerMinute: nanosPerMinute.toString(), costNanos: costNanos.toString() };
}

function fromLogged(price: LoggedPrice): JobPrice {
  return { ...price, nanosPerMinute: BigInt(price.nanosPerMinute), costNanos: BigInt(price.costNanos) };
}

function placeOf(job: RecordedJob | undefined): JobPlace | null {
  if (!job) return null;
  const { completedAtText: completedAt, runId, attempt, jobId } = job;
  return { completedAt, runId, attempt, jobId };
}

/** Jobs are added and deleted meanwhile, so the total is final only at the end and never less than `done`. */
function advanced(task: Reprice, jobs: number, isDone: boolean): Advance<RepriceState> {
  const done = Number(task.done) + jobs;
  return { done, total: isDone ? done : Math.max(done, Number(task.total ?? 0)), isDone };
}

function stateAfter(state: RepriceState, jobs: readonly PricedJob[], changedJobs: number): RepriceState {
  const sum = (when: 'before' | 'after') => jobs.reduce((total, job) => total + job[when].costNanos, 0n);
  return {
    ...state,
    changedJobs: state.changedJobs + changedJobs,
    beforeNanos: (BigInt(state.beforeNanos) + sum('before')).toString(),
    afterNanos: (BigInt(state.afterNanos) + sum('after')).toString(),
  };
}

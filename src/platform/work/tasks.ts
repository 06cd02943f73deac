import type { Database, Transaction } from '../db/database.ts';
import { notFound, PublicError } from '../lib/errors.ts';
import { randomId } from '../lib/ids.ts';
import { rowsOf, type Page } from '../lib/page.ts';
import type { Clock } from '../lib/time.ts';
import { holdsLease, leaseEnd, newLease, releaseLease, renewLease } from './leases.ts';
import { nextAttemptAt, type RetrySchedule } from './retries.ts';
import {
  cancelTaskRow,
  claimTask,
  countUnendedTasks,
  findTaskRow,
  findTaskRows,
  findUnendedTasks,
  insertTask,
  isDiskFull,
  removeEndedTaskRows,
  stateWith,
  type TaskRow,
} from './tasks.queries.ts';
import type { Poller } from './worker.ts';

/**
 * A kind of long work: the name that stands in its rows and in messages, and the prefix of its ids. `endedState` takes the
 * place of fields of the state when a task ends, however it ends: what must not outlive it.
 */
export type TaskKind = { name: string; idPrefix: string; endedState?: object };

/** Long work that somebody asked for, and how far it has come. `State` is what a worker needs to go on. */
export type Task<Input, State> = Omit<TaskRow, 'input' | 'state'> & { input: Input; state: State };

type Asked<Input, State> = { orgId: string; input: Input; state: State; total?: number };

/** Notes the work, to be done once the transaction has been committed. */
export async function addTask<Input, State>(
  tx: Transaction,
  clock: Clock,
  kind: TaskKind,
  { orgId, input, state, total }: Asked<Input, State>,
): Promise<Task<Input, State>> {
  const now = clock.now();
  const row = await insertTask(tx, {
    orgId,
    id: randomId(kind.idPrefix),
    kind: kind.name,
    status: 'queued',
    input: JSON.stringify(input),
    state: JSON.stringify(state),
    total: total === undefined ? null : BigInt(total),
    createdAt: now,
    dueAt: now,
  });
  return row as Task<Input, State>;
}

/** A task of that kind; throws `not_found` for an id of another organization or kind. */
export async function getTask<Input, State>(
  db: Database | Transaction,
  kind: TaskKind,
  { orgId, id }: { orgId: string; id: string },
): Promise<Task<Input, State>> {
  const row = await findTaskRow(db, { orgId, kind: kind.name }, id);
  if (!row) throw notFound(kind.name);
  return row as Task<Input, State>;
}

/** A page of the organization's tasks of that kind, newest first, and how many there are. */
export async function listTasks<Input, State>(
  db: Database,
  kind: TaskKind,
  { orgId, ...page }: { orgId: string } & Page,
): Promise<{ tasks: Task<Input, State>[]; total: number }> {
  const asked = rowsOf(page);
  const { rows, total } = await findTaskRows(db, { orgId, kind: kind.name }, asked);
  return { tasks: rows as Task<Input, State>[], total };
}

/** How many tasks of that kind wait or run. Under a lock of the organization none is added until its end. */
export function countTasksUnderWay(tx: Transaction, kind: TaskKind, orgId: string): Promise<number> {
  return countUnendedTasks(tx, { orgId, kind: kind.name });
}

/** The tasks of that kind that wait or run, of all organizations. */
export async function listTasksUnderWay<Input, State>(
  db: Database,
  kind: TaskKind,
): Promise<Task<Input, State>[]> {
  return (await findUnendedTasks(db, kind.name)) as Task<Input, State>[];
}

/** Ends a task before its time; what it has done stays. Throws `conflict` when it has ended. */
export async function cancelTask<Input, State>(
  tx: Transaction,
  clock: Clock,
  kind: TaskKind,
  key: { orgId: string; id: string },
): Promise<Task<Input, State>> {
  const task = await getTask<Input, State>(tx, kind, key);
  const cancelled = await cancelTaskRow(tx, task, clock.now(), kind.endedState ?? {});
  if (cancelled) return cancelled as Task<Input, State>;
  throw new PublicError('conflict', `${kind.name}_ended`, `This ${kind.name} has ended already.`);
}

/** Forgets tasks of a kind that ended before that instant, but for those with the ids in `except`. */
export function removeEndedTasks(
  db: Database,
  { name }: TaskKind,
  { before, except = [] }: { before: Date; except?: readonly string[] },
): Promise<void> {
  return removeEndedTaskRows(db, name, { before, except });
}

/** Ends the piece of a task that was cancelled, or that somebody else has by now. */
export async function requireTask<Input, State>(db: Database, task: Task<Input, State>): Promise<void> {
  if (!(await holdsLease(db, 'tasks', task))) throw new TaskLost();
}

/** By when another goes on with a task whose worker seems to have died; null where it does not. */
export function stoppedUntil(
  { status, leasedUntil }: Pick<TaskRow, 'status' | 'leasedUntil'>,
  now: Date,
): Date | null {
  if (status !== 'running' || !leasedUntil) return null;
  const left = leasedUntil.getTime() - now.getTime();
  return left > 0 && left < leaseMilliseconds - renewMilliseconds - lateMilliseconds ? leasedUntil : null;
}

/** What a piece of work has come to. Without `isDone` the next piece is due at once, or at `dueAt`. */
export type Advance<State> = {
  state?: State;
  done?: number;
  total?: number;
  isDone?: boolean;
  dueAt?: Date;
};

/**
 * Does one piece of a task and notes how far it has come with `save`, in the transaction that writes what the piece
 * wrote. `save` throws, and so undoes the piece, where the task was cancelled or somebody else has it by now. Work that
 * takes longer than a few seconds looks at `signal` between its parts. A thrown `PublicError` ends the task as failed,
 * with its message; after any other error the piece is tried again, five times in all.
 */
export type DoPiece<Input, State> = (
  task: Task<Input, State>,
  save: (db: Database | Transaction, advance: Advance<State>) => Promise<void>,
  signal: AbortSignal,
) => Promise<void>;

const leaseMilliseconds = 60_000;
const renewMilliseconds = 15_000;
/** How late a renewal of a worker that is busy may come. */
const lateMilliseconds = 10_000;
const retries: RetrySchedule = { delaysMilliseconds: [10_000, 20_000, 40_000, 80_000] };
const maxStarts = retries.delaysMilliseconds.length + 1;

/** Works at all tasks of a kind, a piece at a time, those that wait longest first. */
export function taskPoller<Input, State>(
  { db, clock }: { db: Database; clock: Clock },
  kind: TaskKind,
  doPiece: DoPiece<Input, State>,
): Poller {
  return {
    name: `tasks: ${kind.name}`,
    everyMilliseconds: 1_000,
    run: async (signal) => {
      if (signal.aborted) return false;
      const lease = newLease(clock, leaseMilliseconds);
      const row = await claimTask(db, { kind: kind.name, now: clock.now(), lease });
      if (!row) return false;
      await takeOn({ db, clock, kind, signal }, row as Task<Input, State>, doPiece);
      return true;
    },
  };
}

/** The task was cancelled, or its lease ran out: whatever is being done is not to be written. */
class TaskLost extends Error {}

type Worker = { db: Database; clock: Clock; kind: TaskKind; signal: AbortSignal };

async function takeOn<Input, State>(
  worker: Worker,
  task: Task<Input, State>,
  doPiece: DoPiece<Input, State>,
): Promise<void> {
  const { db, clock, signal } = worker;
  const renewal = setInterval(() => {
    // A lease that cannot be renewed runs out, and the next save says so.
    renewLease(db, 'tasks', task, leaseEnd(clock, leaseMilliseconds)).catch(() => {});
  }, renewMilliseconds).unref();
  try {
    if (task.starts > maxStarts) throw interruptedTooOften;
    await doPiece(task, (to, advance) => save(worker, task, to, advance), signal);
    await releaseLease(db, 'tasks', task, { starts: 0 });
  } catch (error) {
    await settle(worker, task, error);
  } finally {
    clearInterval(renewal);
  }
}

const interruptedTooOften = new PublicError(
  'unavailable',
  'interrupted',
  `It was interrupted ${maxStarts} times without getting on.`,
);

async function save<Input, State>(
  { clock, kind }: Worker,
  task: Task<Input, State>,
  to: Database | Transaction,
  { state, done, total, isDone, dueAt }: Advance<State>,
): Promise<void> {
  const now = clock.now();
  const stateText = state === undefined ? undefined : JSON.stringify(state);
  const progress = {
    state: stateText,
    done: done === undefined ? undefined : BigInt(done),
    total: total === undefined ? undefined : BigInt(total),
    dueAt: dueAt ?? now, // behind the others that wait
    starts: 1,
    error: null,
  };
  const isOurs = isDone
    ? await releaseLease(to, 'tasks', task, {
        ...progress,
        status: 'done',
        endedAt: now,
        state: kind.endedState ? stateWith(stateText, kind.endedState) : stateText,
      })
    : await renewLease(to, 'tasks', task, leaseEnd(clock, leaseMilliseconds), progress);
  if (!isOurs) throw new TaskLost();
}

/** Writes what follows from an error: the task fails, or is due again later. */
async function settle<Input, State>(worker: Worker, task: Task<Input, State>, error: unknown): Promise<void> {
  const { db, clock, kind, signal } = worker;
  if (error instanceof TaskLost) return;
  if (signal.aborted) {
    await releaseLease(db, 'tasks', task, { starts: task.starts - 1 });
    return;
  }
  const now = clock.now();
  const fault = isDiskFull(error) ? 'The disk of the database is full' : 'It failed';
  const dueAt = error instanceof PublicError ? null : nextAttemptAt(retries, { failures: task.starts, now });
  if (dueAt) {
    await releaseLease(db, 'tasks', task, { dueAt, error: `${fault}; it will be tried again.` });
  } else {
    const message =
      error instanceof PublicError ? error.message : `${fault}; the log of the service tells more.`;
    const state = kind.endedState && stateWith(undefined, kind.endedState);
    await releaseLease(db, 'tasks', task, { status: 'failed', error: message, endedAt: now, state });
  }
  if (error instanceof PublicError) return;
  throw new Error(`task ${task.id} of organization ${task.orgId}`, { cause: error });
}

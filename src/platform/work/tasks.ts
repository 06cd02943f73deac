import { randomUUID } from 'node:crypto';
import type { Database, Transaction } from '../db/database.ts';
import type { Clock } from '../lib/clock.ts';
import { notFound, PublicError } from '../lib/errors.ts';
import { randomId } from '../lib/ids.ts';
import { rowsOf, type Page } from '../lib/page.ts';
import {
  cancelTaskRow,
  claimTask,
  countUnendedTasks,
  findTaskRow,
  findTaskRows,
  findUnendedTasks,
  insertTask,
  isDiskFull,
  isTaskLeased,
  removeEndedTaskRows,
  updateLeasedTask,
  type TaskRow,
} from './tasks.queries.ts';
import type { Job } from './worker.ts';

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
    ...{ orgId, id: randomId(kind.idPrefix), kind: kind.name, status: 'queued' },
    input: JSON.stringify(input),
    state: JSON.stringify(state),
    total: total === undefined ? null : BigInt(total),
    ...{ createdAt: now, dueAt: now },
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
  if (!(await isTaskLeased(db, task, task.lease ?? ''))) throw new TaskLost();
}

/** By when another goes on with a task whose worker has stopped without a word; null where nothing tells that it has. */
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
const mostStarts = 5;
const retryMilliseconds = 10_000;

/** The job that takes on all tasks of a kind, a piece at a time, those that wait longest first. */
export function taskJob<Input, State>(
  { db, clock }: { db: Database; clock: Clock },
  kind: TaskKind,
  doPiece: DoPiece<Input, State>,
): Job {
  return {
    name: `tasks: ${kind.name}`,
    everyMilliseconds: 1_000,
    run: async (signal) => {
      if (signal.aborted) return false;
      const lease = randomUUID();
      const now = clock.now();
      const leasedUntil = new Date(now.getTime() + leaseMilliseconds);
      const row = await claimTask(db, { kind: kind.name, now, lease, leasedUntil });
      if (!row) return false;
      await takeOn({ db, clock, kind, lease, signal }, row as Task<Input, State>, doPiece);
      return true;
    },
  };
}

/** The task was cancelled, or its lease ran out: whatever is being done is not to be written. */
class TaskLost extends Error {}

type Holder = { db: Database; clock: Clock; kind: TaskKind; lease: string; signal: AbortSignal };

async function takeOn<Input, State>(
  holder: Holder,
  task: Task<Input, State>,
  doPiece: DoPiece<Input, State>,
): Promise<void> {
  const { db, clock, kind, lease, signal } = holder;
  const inTime = () => new Date(clock.now().getTime() + leaseMilliseconds);
  const renewal = setInterval(() => {
    // A lease that cannot be renewed runs out, and the next save says so.
    updateLeasedTask(db, task, lease, { leasedUntil: inTime() }).catch(() => {});
  }, renewMilliseconds).unref();
  try {
    if (task.starts > mostStarts) throw interruptedTooOften;
    await doPiece(
      task,
      async (to, { state, done, total, isDone, dueAt }) => {
        const change = {
          ...(state !== undefined && { state: JSON.stringify(state) }),
          ...(done !== undefined && { done: BigInt(done) }),
          ...(total !== undefined && { total: BigInt(total) }),
          // Behind the others that wait.
          dueAt: dueAt ?? clock.now(),
          ...(isDone && ({ status: 'done', endedAt: clock.now(), lease: null } as const)),
          ...{ starts: 1, error: null, leasedUntil: isDone ? null : inTime() },
        };
        const endedState = isDone ? kind.endedState : undefined;
        const isOurs = await updateLeasedTask(to, task, lease, change, endedState);
        if (!isOurs) throw new TaskLost();
      },
      signal,
    );
    await release(holder, task, { starts: 0 });
  } catch (error) {
    await settle(holder, task, error);
  } finally {
    clearInterval(renewal);
  }
}

const interruptedTooOften = new PublicError(
  'unavailable',
  'interrupted',
  `It was interrupted ${mostStarts} times without getting on.`,
);

async function release<Input, State>(
  { db, lease }: Holder,
  task: Task<Input, State>,
  change: Partial<Pick<TaskRow, 'starts' | 'dueAt' | 'error'>>,
): Promise<void> {
  await updateLeasedTask(db, task, lease, { ...change, lease: null, leasedUntil: null });
}

async function settle<Input, State>(holder: Holder, task: Task<Input, State>, error: unknown): Promise<void> {
  const { db, clock, kind, lease, signal } = holder;
  if (error instanceof TaskLost) return;
  if (signal.aborted) return release(holder, task, { starts: task.starts - 1 });
  const now = clock.now();
  const fault = isDiskFull(error) ? 'The disk of the database is full' : 'It failed';
  if (error instanceof PublicError || task.starts >= mostStarts) {
    const message =
      error instanceof PublicError ? error.message : `${fault}; the log of the service tells more.`;
    const end = { status: 'failed', error: message, endedAt: now, lease: null, leasedUntil: null } as const;
    await updateLeasedTask(db, task, lease, end, kind.endedState);
  } else {
    const dueAt = new Date(now.getTime() + retryMilliseconds * 2 ** (task.starts - 1));
    await release(holder, task, { dueAt, error: `${fault}; it will be tried again.` });
  }
  if (error instanceof PublicError) return;
  throw new Error(`task ${task.id} of organization ${task.orgId}`, { cause: error });
}

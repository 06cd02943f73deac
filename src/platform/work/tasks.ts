import type { Database, Transaction } from '../db/database.ts';
import { notFound, OrganizationError, PublicError } from '../lib/errors.ts';
import { randomId } from '../lib/ids.ts';
import { type Page, type Paged, rowsOf } from '../lib/lists.ts';
import type { Clock } from '../lib/time.ts';
import type { Telemetry } from '../telemetry/metrics.ts';
import { holdsLease, leaseEnd, newLease, releaseLease, renewLease } from './leases.ts';
import { nextAttemptAt, type RetrySchedule } from './retries.ts';
import {
  cancelTaskRow,
  claimTask,
  countUnendedTasks,
  findDueKinds,
  findUnendedTasks,
  hastenTaskRows,
  isDiskFull,
  removeEndedTaskRows,
  stateWith,
  type TaskRow,
  taskRows,
} from './tasks.queries.ts';
import type { Poller } from './worker.ts';

/** `endedState` replaces what must not outlive a task. `isOneByOne`: one piece of an organization at once. */
export type TaskKind = { name: string; idPrefix: string; endedState?: object; isOneByOne?: boolean };

export type Task<Input, State> = Omit<TaskRow, 'input' | 'state'> & { input: Input; state: State };

type Asked<Input, State> = { orgId: string; input: Input; state: State; total?: number };

export async function addTask<Input, State>(
  tx: Transaction,
  clock: Clock,
  kind: TaskKind,
  { orgId, input, state, total }: Asked<Input, State>,
): Promise<Task<Input, State>> {
  const now = clock.now();
  const row = await taskRows.insert(tx, {
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

export async function getTask<Input, State>(
  db: Database | Transaction,
  kind: TaskKind,
  { orgId, id }: { orgId: string; id: string },
): Promise<Task<Input, State>> {
  const row = await taskRows.find(db, { orgId, id }, { kind: kind.name });
  if (!row) throw notFound(kind.name);
  return row as Task<Input, State>;
}

export async function listTasks<Input, State>(
  db: Database,
  kind: TaskKind,
  { orgId, ...page }: { orgId: string } & Page,
): Promise<Paged<Task<Input, State>>> {
  const where = { orgId, kind: kind.name };
  const { rows, total } = await taskRows.page(db, where, rowsOf(page), 'createdAt desc', 'id desc');
  return { rows: rows as Task<Input, State>[], total };
}

export function isUnderWay({ status }: Pick<Task<unknown, unknown>, 'status'>): boolean {
  return status === 'queued' || status === 'running';
}

/** Counts waiting and running tasks. Lock the organization first, so that nobody adds one meanwhile. */
export function countTasksUnderWay(tx: Transaction, kind: TaskKind, orgId: string): Promise<number> {
  return countUnendedTasks(tx, { orgId, kind: kind.name });
}

export async function listTasksUnderWay<Input, State>(
  db: Database | Transaction,
  kind: TaskKind,
  orgId: string,
): Promise<Task<Input, State>[]> {
  return (await findUnendedTasks(db, { orgId, kind: kind.name })) as Task<Input, State>[];
}

export async function cancelTask<Input, State>(
  tx: Transaction,
  clock: Clock,
  kind: TaskKind,
  key: { orgId: string; id: string },
): Promise<Task<Input, State>> {
  const task = await getTask<Input, State>(tx, kind, key);
  const cancelled = await cancelTaskRow(tx, task, clock.now(), kind.endedState ?? {});
  if (cancelled) return cancelled as Task<Input, State>;
  const code = `${kind.name.replaceAll(' ', '_')}_ended`;
  throw new PublicError('conflict', code, `This ${kind.name} has already ended.`);
}

export function hastenTasks(
  tx: Transaction,
  clock: Clock,
  { name }: TaskKind,
  key: { orgId: string; id?: string },
): Promise<void> {
  return hastenTaskRows(tx, { ...key, kind: name, now: clock.now() });
}

export async function requireTask<Input, State>(db: Database, task: Task<Input, State>): Promise<void> {
  if (!(await holdsLease(db, 'tasks', task))) throw new TaskLost();
}

/** When another worker will take over from a worker that seems dead; null otherwise. */
export function stoppedUntil(
  { status, leasedUntil }: Pick<TaskRow, 'status' | 'leasedUntil'>,
  now: Date,
): Date | null {
  if (status !== 'running' || !leasedUntil) return null;
  const left = leasedUntil.getTime() - now.getTime();
  return left > 0 && left < leaseMilliseconds - renewMilliseconds - lateMilliseconds ? leasedUntil : null;
}

/** The progress of a piece. Without `isDone`, the next piece is due at once or at `dueAt`. */
export type Advance<State> = {
  state?: State;
  done?: number;
  total?: number;
  isDone?: boolean;
  dueAt?: Date;
  /** What the task waits for while it makes no progress. */
  error?: string;
};

/** `save` throws if the task was canceled or lost. A `PublicError` fails the task, others retry the piece. */
export type DoPiece<Input, State> = (
  task: Task<Input, State>,
  save: (db: Database | Transaction, advance: Advance<State>) => Promise<void>,
  signal: AbortSignal,
) => Promise<void>;

const leaseMilliseconds = 60_000;
const renewMilliseconds = 15_000;
const lateMilliseconds = 10_000;
const retries: RetrySchedule = { delaysMilliseconds: [10_000, 20_000, 40_000, 80_000] };
const maxStarts = retries.delaysMilliseconds.length + 1;

/** Removes ended tasks of a kind so many days after their end. */
export function prunePoller(
  { db, clock }: { db: Database; clock: Clock },
  name: string,
  kind: TaskKind,
  keptDays: number,
): Poller {
  return {
    name,
    everyMilliseconds: 3_600_000,
    run: async () => {
      const before = new Date(clock.now().getTime() - keptDays * 86_400_000);
      return (await removeEndedTaskRows(db, kind.name, before)) > 0;
    },
  };
}

export function taskPoller<Input, State>(
  { db, clock, telemetry }: { db: Database; clock: Clock; telemetry: Telemetry },
  kind: TaskKind,
  doPiece: DoPiece<Input, State>,
): Poller {
  // Starts at 0, so that the first failure shows as an increase.
  telemetry.metrics.taskFailures.inc({ task: kind.name }, 0);
  return {
    name: `tasks: ${kind.name}`,
    everyMilliseconds: 1_000,
    run: async (signal) => {
      if (signal.aborted || !(await findDueKinds(db, clock.now())).has(kind.name)) return false;
      const lease = newLease(clock, leaseMilliseconds);
      const claimed = telemetry.metrics.claimSeconds.startTimer({ queue: 'tasks' });
      const row = await claimTask(db, { kind, now: clock.now(), lease });
      if (!row) return false;
      claimed();
      await takeOn({ db, clock, telemetry, kind, signal }, row as Task<Input, State>, doPiece);
      return true;
    },
  };
}

/** The task was canceled or its lease ran out, so nothing may be written. */
class TaskLost extends Error {}

type Worker = { db: Database; clock: Clock; telemetry: Telemetry; kind: TaskKind; signal: AbortSignal };

async function takeOn<Input, State>(
  worker: Worker,
  task: Task<Input, State>,
  doPiece: DoPiece<Input, State>,
): Promise<void> {
  const { db, clock, signal, telemetry, kind } = worker;
  const renewal = setInterval(() => {
    // If renewal fails, the lease runs out and the next save throws.
    renewLease(db, 'tasks', task, leaseEnd(clock, leaseMilliseconds)).catch(() => {});
  }, renewMilliseconds).unref();
  try {
    if (task.starts > maxStarts) throw interruptedTooOften;
    const attributes = { 'runcost.organization': task.orgId, 'runcost.task': task.id };
    await telemetry.tracing.inSpan(kind.name, { attributes }, () =>
      doPiece(task, (to, advance) => save(worker, task, to, advance), signal),
    );
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
  `The task was interrupted ${maxStarts} times without progress.`,
);

async function save<Input, State>(
  { clock, kind }: Worker,
  task: Task<Input, State>,
  to: Database | Transaction,
  { state, done, total, isDone, dueAt, error }: Advance<State>,
): Promise<void> {
  const now = clock.now();
  const stateText = state === undefined ? undefined : JSON.stringify(state);
  const progress = {
    state: stateText,
    done: done === undefined ? undefined : BigInt(done),
    total: total === undefined ? undefined : BigInt(total),
    dueAt: dueAt ?? now, // behind the others that wait
    starts: 1,
    error: error ?? null,
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

async function settle<Input, State>(worker: Worker, task: Task<Input, State>, error: unknown): Promise<void> {
  const { db, clock, kind, signal, telemetry } = worker;
  if (error instanceof TaskLost) return;
  if (signal.aborted) {
    await releaseLease(db, 'tasks', task, { starts: task.starts - 1 });
    return;
  }
  const now = clock.now();
  const fault = isDiskFull(error) ? 'The disk of the database is full' : 'The task failed';
  const dueAt = error instanceof PublicError ? null : nextAttemptAt(retries, { failures: task.starts, now });
  if (dueAt) {
    const isOurs = await releaseLease(db, 'tasks', task, { dueAt, error: `${fault}; it will be retried.` });
    // What it worked on may have been deleted with it.
    if (!isOurs) return;
  } else {
    const message = error instanceof PublicError ? error.message : `${fault}; see the log of the service.`;
    const state = kind.endedState && stateWith(undefined, kind.endedState);
    const isOurs = await releaseLease(db, 'tasks', task, {
      status: 'failed',
      error: message,
      endedAt: now,
      state,
    });
    if (isOurs) telemetry.metrics.taskFailures.inc({ task: kind.name });
  }
  if (error instanceof PublicError) return;
  throw new OrganizationError(`task ${task.id}`, task.orgId, error);
}

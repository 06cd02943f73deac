import { recordStorage } from '../../ledger/storage/storage.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { taskView } from '../../platform/http/views.ts';
import type { Clock } from '../../platform/lib/time.ts';
import {
  addTask,
  listTasksUnderWay,
  prunePoller,
  requireTask,
  taskPoller,
  type DoPiece,
  type Task,
  type TaskKind,
} from '../../platform/work/tasks.ts';
import { oneByOne, type Poller } from '../../platform/work/worker.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { tasksOf } from '../../tenancy/audit/tasks.ts';
import { lockOrganization } from '../../tenancy/organizations/organizations.ts';
import {
  isRepositoryName,
  type BackfillContext,
  type BackfillProgram,
  type Wait,
  waitOf,
} from '../backfills/backfill.ts';
import { gitHubKinds, openCredentials } from '../backfills/credentials.ts';
import { lastCheckTime } from '../backfills/nightly.ts';
import { waitFor } from '../backfills/obstacles.ts';
import { polledRepositories } from '../backfills/polls.ts';
import { allRefused, chooseSource } from '../backfills/startBackfill.ts';
import { findReadSources, findReadSourcesOf, type ReadSource } from './queries.ts';
import { readStorage } from './readStorage.ts';

export type ReadingRequest = { source_id?: string | undefined; repositories?: string[] | undefined };

/** `repositories` is null for all that the credentials can read. */
type Input = { sourceId: string; repositories: string[] | null; isNightly: boolean };
type Problem = { repository: string; message: string };

/** `left` is null until the repositories are known. */
type State = {
  left: string[] | null;
  refused: number;
  problems: Problem[];
  wait: Wait | null;
  failures: number;
};

export type StorageReading = Task<Input, State>;

const kind: TaskKind = { name: 'storage reading', idPrefix: 'sto' };

/** Returns the reading of the same repositories that is under way, if there is one. */
export async function startReading(ctx: BackfillContext, request: ReadingRequest): Promise<StorageReading> {
  const { actor, clock, db } = ctx;
  const sourceId = await chooseSource(ctx, request.source_id);
  const { repositories = null } = request;
  return db.transaction().execute(async (tx) => {
    await lockOrganization(tx, actor.orgId);
    const asked = { orgId: actor.orgId, sourceId, repositories };
    const same = await findUnderWay(tx, asked);
    if (same) return same;
    const task = await addReading(tx, clock, { ...asked, isNightly: false });
    await recordAudit(tx, ctx, 'storage_reading.start', task.id);
    return task;
  });
}

type Asked = Omit<Input, 'isNightly'> & { orgId: string };

async function findUnderWay(
  tx: Transaction,
  { orgId, ...asked }: Asked,
): Promise<StorageReading | undefined> {
  const readings = await listTasksUnderWay<Input, State>(tx, kind, orgId);
  return readings.find(
    ({ input }) =>
      input.sourceId === asked.sourceId && input.repositories?.join() === asked.repositories?.join(),
  );
}

function addReading(tx: Transaction, clock: Clock, { orgId, ...input }: Asked & Input) {
  const left = input.repositories;
  const state: State = { left, refused: 0, problems: [], wait: null, failures: 0 };
  const counted = left ? { total: left.length } : {};
  return addTask<Input, State>(tx, clock, kind, { orgId, input, state, ...counted });
}

export const {
  get: getReading,
  list: listReadings,
  cancel: cancelReading,
} = tasksOf<Input, State>(kind, 'storage_reading.cancel');

const keptDays = 30;

export function storagePollers(program: BackfillProgram): Poller[] {
  return [
    {
      name: 'start nightly storage readings',
      everyMilliseconds: 60_000,
      run: async () => {
        await startNightlyReadings(program);
        return false;
      },
    },
    taskPoller(program, kind, readingWork(program)),
    prunePoller(program, 'prune storage readings', kind, keptDays),
  ];
}

/** Once a day at the time of the source's nightly check, and at once for new credentials. */
async function startNightlyReadings(program: BackfillProgram): Promise<void> {
  const due = dueOf(await findReadSources(program.db, wanted), program);
  await oneByOne(due, (source) => startNightly(program, source), {
    nameOf: ({ orgId, sourceId }) => [`source ${sourceId}`, orgId],
    message: 'nightly storage readings could not start',
  });
}

const wanted = { kind: kind.name, credentials: gitHubKinds };

function dueOf(sources: readonly ReadSource[], { clock }: Pick<BackfillProgram, 'clock'>): ReadSource[] {
  return sources.filter(({ sourceId, readAt }) => !readAt || readAt < lastCheckTime(sourceId, clock.now()));
}

async function startNightly(program: BackfillProgram, { orgId, sourceId }: ReadSource): Promise<void> {
  await program.db.transaction().execute(async (tx) => {
    await lockOrganization(tx, orgId);
    // Another worker may have been first.
    const due = dueOf(await findReadSourcesOf(tx, orgId, wanted), program);
    if (!due.some((each) => each.sourceId === sourceId)) return;
    const all = { orgId, sourceId, repositories: null };
    // One can wait for GitHub's limit for hours.
    if (!(await findUnderWay(tx, all))) await addReading(tx, program.clock, { ...all, isNightly: true });
  });
}

/** Few, so that little is repeated if a worker stops. */
const repositoriesPerPiece = 5;

function readingWork(program: BackfillProgram): DoPiece<Input, State> {
  return async (task, save, signal) => {
    const { db, clock } = program;
    const { orgId, input } = task;
    const source = { orgId, sourceId: input.sourceId };
    const { credentials } = await openCredentials(program, source);
    // Imported late, so that other commands start without GitHub's libraries.
    const { createGitHubClient } = await import('../backfills/gitHubClient.ts');
    const client = createGitHubClient(program, credentials);
    const readable = task.state.left
      ? []
      : await polledRepositories(program, () => Promise.resolve(client), source);
    const named = task.state.left ?? readable.filter(isRepositoryName);
    let state = { ...task.state, left: named, wait: null as Wait | null };
    const total = Number(task.total ?? named.length);
    const done = () => total - state.left.length;
    for (let count = 0; count < repositoriesPerPiece && state.left.length > 0; count++) {
      await requireTask(db, task);
      const [repository, ...left] = state.left as [string, ...string[]];
      const reading = await readStorage({ client, repository, now: clock.now(), signal });
      if (signal.aborted) break;
      if ('read' in reading) {
        await recordStorage(program, orgId, reading.read);
        state = { ...withProblems(state, repository, reading.read.problems), left, failures: 0 };
      } else if (reading.obstacle.kind === 'refused') {
        const after = withProblems(state, repository, [reading.obstacle.message]);
        state = { ...after, left, refused: state.refused + 1 };
      } else {
        const { failures, wait } = waitFor(reading.obstacle, state.failures, program);
        const dueAt = new Date(wait.until);
        return save(db, { state: { ...state, failures, wait }, done: done(), total, dueAt });
      }
    }
    const isDone = state.left.length === 0;
    if (isDone && total > 0 && state.refused === total)
      throw allRefused(state.problems.map(({ message }) => message));
    await save(db, { state, done: done(), total, isDone });
  };
}

function withProblems(state: State, repository: string, messages: readonly string[]): State {
  return { ...state, problems: state.problems.concat(messages.map((message) => ({ repository, message }))) };
}

export function readingView(task: StorageReading, now: Date) {
  const { input, state } = task;
  const wait = waitOf(task, now);
  return {
    id: task.id,
    source_id: input.sourceId,
    is_nightly: input.isNightly,
    waiting: wait && { until: new Date(wait.until), reason: wait.reason },
    problems: state.problems,
    ...taskView(task),
  };
}

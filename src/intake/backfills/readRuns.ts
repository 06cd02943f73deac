import { jobKey, runIdOf } from '../../ledger/runs/history.ts';
import { whyRefused, type Refusal } from '../../ledger/runs/recorder.ts';
import { dayOf } from '../../platform/lib/days.ts';
import { requireTask } from '../../platform/work/tasks.ts';
import {
  afterPage,
  type BackfillProgram,
  type BackfillState,
  createdQuery,
  maxListed,
  type Obstacle,
  obstacleOf,
  type Step,
  type StepEnd,
  unreadable,
  withoutRepository,
  withProblem,
  withReportedTotal,
  withUnread,
} from './backfill.ts';
import { deleteGone } from './completeness.ts';
import { findKnown, type ListedRun, saveListedRuns } from './listedRuns.queries.ts';
import {
  foundOf,
  idOf,
  isSettled,
  type Item,
  readPage,
  type LastRead,
  type ReadRun,
  readRun,
  runOrNull,
} from './readRun.ts';

/** Few, so that a piece takes seconds and little is lost with it. */
const runsPerPage = 25;
const maxTries = 3;

export async function readRuns(step: Step): Promise<StepEnd> {
  const { program, client, task, signal } = step;
  const { next, slices } = task.state;
  const slice = slices[next.slice];
  const done = Number(task.done);
  if (!slice) return { state: task.state, done, stoppedBy: null };
  const repository = task.input.repositories[slice.repository]!;
  const query = { created: createdQuery(slice), per_page: runsPerPage, page: next.page };
  const answer = await client.get(repository, '/actions/runs', { query, signal });
  if (answer.kind === 'refused') {
    return { state: withoutRepository(task.state, repository, answer.message), done, stoppedBy: null };
  }
  if (answer.kind !== 'data') return { state: task.state, done, stoppedBy: obstacleOf(answer) };
  const page = readPage(answer.data, 'workflow_runs');
  if (!page) return { state: task.state, done, stoppedBy: unreadable };

  const wanted = page.items.filter((run) => !next.handled.includes(idOf(run) ?? -1));
  const part = await readPart(step, repository, wanted);
  const unread = [...part.unread, ...givenUp(task.state, wanted, part)];
  // A backfill that was canceled meanwhile must record nothing.
  await requireTask(program.db, task);
  const refusal = await record(program, task.orgId, part.read, unread);
  const problems = refusal ? [...part.problems, `A run ${whyRefused(refusal)}.`] : part.problems;
  const state = stateAfter(task.state, repository, { ...part, unread, problems });
  const counted = withReportedTotal(state, page.total);
  const isWhole = wanted.every((run) => idOf(run) === null || state.next.handled.includes(idOf(run)!));
  const onward = isWhole
    ? afterPage(counted, repository, { runsPerPage, isEmpty: page.items.length === 0 })
    : counted;
  if (onward.next.slice > next.slice && isListedWhole(counted)) await deleteGone(step, repository, slice);
  return {
    state: onward,
    done: done + part.handled.length,
    stoppedBy: part.stoppedBy,
  };
}

function isListedWhole({ slices, next }: BackfillState): boolean {
  const { total } = slices[next.slice]!;
  return total < maxListed && next.handled.length >= total;
}

/** Runs that GitHub fails to return while it returns others become unread, and do not stop the backfill. */
function givenUp({ failures }: BackfillState, wanted: readonly Item[], part: Part): UnreadRunItem[] {
  const { stoppedBy, handled, unread, failing } = part;
  if (stoppedBy?.kind !== 'unreachable' || isAnswered(part) || failures < maxTries - 1) return [];
  const answered = new Set([...handled, ...unread.map(({ id }) => id)]);
  const left = wanted.flatMap((run) => {
    const id = idOf(run);
    return id === null || answered.has(id) ? [] : [{ id, run, reason: stoppedBy.message }];
  });
  return left.every(({ id }) => failing.includes(id)) ? left : [];
}

function isAnswered({ handled, unread }: Part): boolean {
  return handled.length + unread.length > 0;
}

function stateAfter(state: BackfillState, repository: string, part: Part): BackfillState {
  const { next } = state;
  const handled = [...new Set([...next.handled, ...part.handled, ...part.unread.map(({ id }) => id)])];
  const failing = [...new Set(part.failing)].filter((id) => !handled.includes(id));
  const failures = part.handled.length > 0 ? 0 : state.failures;
  const problems = part.problems.map((message) => ({ repository, message, isRefused: false }));
  const unread = part.unread.map(({ id, reason }) => ({ repository, runId: String(id), reason }));
  const read = { ...state, failures, next: { ...next, handled, failing } };
  return withUnread(problems.reduce(withProblem, read), unread);
}

export async function record(
  program: BackfillProgram,
  orgId: string,
  read: readonly ReadRun[],
  unread: readonly UnreadRunItem[],
): Promise<Refusal | null> {
  if (read.length + unread.length === 0) return null;
  const { clock, db, recorder } = program;
  const now = clock.now();
  const known = await findKnown(
    db,
    orgId,
    read.map(({ report }) => runIdOf(report)),
  );
  const runs = new Map(known.runs.map((run) => [run.id, run]));
  const completed = Map.groupBy(
    known.jobs.filter(({ status }) => status === 'completed'),
    ({ runId }) => runId,
  );
  const looks = [
    ...read.map(({ report, jobsEtag }) => {
      const runId = runIdOf(report);
      const jobs = completed.get(runId) ?? [];
      const completedJobs = new Set(jobs.map(jobKey));
      return { report, jobsEtag, found: foundOf(report, { run: runs.get(runId), completedJobs }) };
    }),
    ...unread.flatMap(({ run }) => {
      const report = runOrNull(run, now);
      return report ? [{ report, jobsEtag: null, found: 'unread' as const }] : [];
    }),
  ];
  const reports = read.flatMap(({ report, earlier }) => [report, ...earlier]);
  const refusal = await recorder.record(orgId, reports);
  const refused = new Set(refusal?.places.map((place) => reports[place]!));
  const listed = looks
    .filter(({ report }) => isSettled(report, now) && !refused.has(report))
    .map(({ report, jobsEtag, found }): ListedRun => {
      const { repository, state } = report;
      return {
        runId: runIdOf(report),
        repository,
        day: dayOf(state!.createdAt),
        found,
        jobsEtag,
        listedAt: now,
      };
    });
  // Saved last, because an ETag promises that the jobs are recorded.
  await saveListedRuns(db, orgId, listed);
  return refusal;
}

const maxFailedInARow = 3;

export type UnreadRunItem = { id: number; run: Item; reason: string };

type Part = {
  read: ReadRun[];
  handled: number[];
  unread: UnreadRunItem[];
  failing: number[];
  problems: string[];
  stoppedBy: Obstacle | null;
};

async function readPart(step: Step, repository: string, wanted: readonly Item[]): Promise<Part> {
  const { program, task, signal } = step;
  const { failing = [] } = task.state.next;
  const lastReads = await findLastReads(program, task.orgId, wanted);
  const part: Part = {
    read: [],
    handled: [],
    unread: [],
    failing: [...failing],
    problems: [],
    stoppedBy: null,
  };
  const hasFailed = (run: Item) => Number(failing.includes(idOf(run) ?? -1));
  let failedInARow = 0;
  for (const run of wanted.toSorted((a, b) => hasFailed(a) - hasFailed(b))) {
    if (signal.aborted || failedInARow === maxFailedInARow) break;
    const id = idOf(run);
    if (id === null) {
      part.problems.push('GitHub returned a run without an id.');
      continue;
    }
    const reading = await readRun(step, repository, { run, id, last: lastReads.get(id) ?? null });
    if (!('stoppedBy' in reading)) {
      failedInARow = 0;
      if ('unreadBecause' in reading) {
        part.unread.push({ id, run, reason: reading.unreadBecause });
        continue;
      }
      part.handled.push(id);
      if (reading.read) part.read.push(reading.read);
      if (reading.problem !== null) part.problems.push(reading.problem);
      continue;
    }
    // A canceled request says nothing about the run.
    if (signal.aborted) break;
    part.stoppedBy = reading.stoppedBy;
    if (reading.stoppedBy.kind !== 'unreachable') break;
    part.failing.push(id);
    failedInARow += 1;
  }
  return part;
}

async function findLastReads(
  { clock, db }: BackfillProgram,
  orgId: string,
  runs: readonly Item[],
): Promise<Map<number, LastRead>> {
  const byId = new Map<number, string>();
  for (const run of runs) {
    const report = runOrNull(run, clock.now());
    const id = idOf(run);
    if (report && id !== null) byId.set(id, runIdOf(report));
  }
  const known = await findKnown(db, orgId, [...byId.values()]);
  // Runs that were recorded before we read attempts have no starter.
  const withActors = new Set(known.runs.filter(({ startedBy }) => startedBy !== null).map(({ id }) => id));
  return new Map(
    [...byId].flatMap(([id, runId]) => {
      const jobsEtag = known.etags.get(runId);
      return jobsEtag === undefined ? [] : [[id, { jobsEtag, hasActors: withActors.has(runId) }]];
    }),
  );
}

import { requireTask } from '../jobs/tasks.ts';
import { dayOf } from '../lib/days.ts';
import { runIdOf } from '../runs/history.ts';
import type { RunReport } from '../runs/report.ts';
import { withProblem, type BackfillState } from './backfill.ts';
import type { BackfillProgram } from './context.ts';
import { afterPage, withoutRepository, withTold } from './places.ts';
import { findKnown, saveListedRuns, type ListedRun } from './queries.ts';
import { foundOf, idOf, isSettled, readPage, reportOf, type Item } from './readListed.ts';
import { readRun, type ReadRun } from './readRun.ts';
import { createdQuery } from './slices.ts';
import { obstacleOf, unreadable, type Obstacle, type Step, type StepEnd } from './step.ts';

/** Few, so that a piece takes seconds and one that is cut short costs little. */
const runsPerPage = 25;

/** Reads the next page of runs with the jobs of each, and records them. */
export async function readRuns(step: Step): Promise<StepEnd> {
  const { program, client, task, signal } = step;
  const { next, slices } = task.state;
  const slice = slices[next.slice];
  const done = Number(task.done);
  // Nothing was there to read.
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

  const part = await readPart(step, repository, page.items);
  // What was cancelled meanwhile records nothing more.
  await requireTask(program.db, task);
  await record(program, task.orgId, part.read);
  const handled = [...new Set([...next.handled, ...part.handled])];
  const told = withTold({ ...part.state, next: { ...next, handled } }, page.total);
  const state = part.isWhole
    ? afterPage(told, repository, { runsPerPage, isEmpty: page.items.length === 0 })
    : told;
  return { state, done: done + handled.length - next.handled.length, stoppedBy: part.stoppedBy };
}

type Part = {
  state: BackfillState;
  read: ReadRun[];
  /** Ids of the runs that are done with, whether they could be read or not. */
  handled: number[];
  /** Whether no run of the page is left. */
  isWhole: boolean;
  stoppedBy: Obstacle | null;
};

/** Reads the runs of a page that have not been yet, as far as it comes. */
async function readPart(step: Step, repository: string, items: Item[]): Promise<Part> {
  const { program, task, signal } = step;
  const known = new Set(task.state.next.handled);
  const wanted = items.filter((run) => !known.has(idOf(run) ?? -1));
  const etags = await findEtags(program, task.orgId, wanted);
  let { state } = task;
  const tell = (message: string) => {
    state = withProblem(state, { repository, message, isRefused: false });
  };
  const read: ReadRun[] = [];
  const handled: number[] = [];
  for (const run of wanted) {
    if (signal.aborted) return { state, read, handled, isWhole: false, stoppedBy: null };
    const id = idOf(run);
    if (id === null) {
      tell('GitHub lists a run without an id.');
      continue;
    }
    const result = await readRun(step, repository, { run, id, etag: etags.get(id) ?? null });
    if ('stoppedBy' in result) {
      return { state, read, handled, isWhole: false, stoppedBy: result.stoppedBy };
    }
    handled.push(id);
    if (result.problem !== null) tell(result.problem);
    if (result.read) read.push(result.read);
  }
  return { state, read, handled, isWhole: true, stoppedBy: null };
}

/** The ETags of the runs' lists of jobs as they were recorded, by the provider's ids. */
async function findEtags(program: BackfillProgram, orgId: string, runs: Item[]) {
  const byId = new Map<number, string>();
  for (const run of runs) {
    const report = readOrNull(run, program.clock.now());
    const id = idOf(run);
    if (report && id !== null) byId.set(id, runIdOf(report));
  }
  const { etags } = await findKnown(program.db, orgId, [...byId.values()]);
  return new Map([...byId].flatMap(([id, runId]) => (etags.has(runId) ? [[id, etags.get(runId)!]] : [])));
}

function readOrNull(run: Item, now: Date): RunReport | null {
  try {
    return reportOf(run, [], now);
  } catch {
    return null;
  }
}

/** Records the runs, and notes of those that have ended what was known of them before. */
async function record(program: BackfillProgram, orgId: string, read: ReadRun[]): Promise<void> {
  if (read.length === 0) return;
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
  const listed = read
    .filter(({ report }) => isSettled(report, now))
    .map(({ report, jobsEtag }): ListedRun => {
      const runId = runIdOf(report);
      const jobs = completed.get(runId) ?? [];
      const completedJobs = new Set(jobs.map(({ attempt, jobId }) => `${attempt}/${jobId}`));
      return {
        ...{ runId, repository: report.repository, day: dayOf(report.state!.createdAt), jobsEtag },
        ...{ found: foundOf(report, { run: runs.get(runId), completedJobs }), listedAt: now },
      };
    });
  await recorder.record(
    orgId,
    read.map(({ report }) => report),
  );
  // Only now: what an ETag says to be unchanged must have been recorded.
  await saveListedRuns(db, orgId, listed);
}

import { PublicError } from '../lib/errors.ts';
import { dayOf } from '../lib/days.ts';
import { runIdOf } from '../runs/history.ts';
import type { RunReport } from '../runs/report.ts';
import { withProblem } from './backfill.ts';
import type { BackfillProgram } from './context.ts';
import { findKnown, saveListedRuns, type ListedRun } from './queries.ts';
import { foundOf, idOf, isSettled, readPage, reportOf } from './readListed.ts';
import { createdQuery, mostListed } from './slices.ts';
import { obstacleOf, unreadable, type Obstacle, type Step, type StepEnd } from './step.ts';

/** Few, so that a piece takes seconds and one that is cut short costs little. */
const runsPerPage = 25;
const jobsPerPage = 100;

type Item = { [field: string]: unknown };
type ReadRun = { report: RunReport; jobsEtag: string | null };

/** Reads the next page of runs with the jobs of each, and records them. */
export async function readRuns(step: Step): Promise<StepEnd> {
  const { program, client, task, signal } = step;
  const { input } = task;
  const { next, slices } = task.state;
  const slice = slices[next.slice];
  const done = Number(task.done);
  // Nothing was there to read.
  if (!slice) return { state: task.state, done, stoppedBy: null };
  const repository = input.repositories[slice.repository]!;
  const query = { created: createdQuery(slice), per_page: runsPerPage, page: next.page };
  const answer = await client.get(repository, '/actions/runs', { query, signal });
  if (answer.kind !== 'data') return { state: task.state, done, stoppedBy: obstacleOf(answer) };
  const page = readPage(answer.data, 'workflow_runs');
  if (!page) return { state: task.state, done, stoppedBy: unreadable };

  const wanted = page.items.slice(next.skip);
  const etags = await findEtags(program, task.orgId, wanted);
  let { state } = task;
  const read: ReadRun[] = [];
  let handled = 0;
  let stoppedBy: Obstacle | null = null;
  for (const run of wanted) {
    if (signal.aborted) break;
    const result = await readRun(step, repository, run, etags);
    if ('stoppedBy' in result) {
      ({ stoppedBy } = result);
      break;
    }
    handled++;
    if ('problem' in result) {
      state = withProblem(state, { repository, message: result.problem, isRefused: false });
    } else read.push(result);
  }
  await record(program, task.orgId, read);
  const isPageDone = handled === wanted.length;
  const isLast =
    page.items.length < runsPerPage || next.page * runsPerPage >= Math.min(slice.total, mostListed);
  const skip = { ...next, skip: next.skip + handled };
  const onward = isLast
    ? { slice: next.slice + 1, page: 1, skip: 0 }
    : { ...next, page: next.page + 1, skip: 0 };
  return { state: { ...state, next: isPageDone ? onward : skip }, done: done + handled, stoppedBy };
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

async function readRun(
  { client, program, signal }: Step,
  repository: string,
  run: Item,
  etags: ReadonlyMap<number, string>,
): Promise<ReadRun | { stoppedBy: Obstacle } | { problem: string }> {
  const id = idOf(run);
  if (id === null) return { problem: 'GitHub lists a run without an id.' };
  const jobs: Item[] = [];
  let jobsEtag: string | null = null;
  for (let page = 1; ; page++) {
    const options = { query: { filter: 'all', per_page: jobsPerPage, page }, signal };
    const etag = page === 1 ? (etags.get(id) ?? null) : null;
    const answer = await client.get(repository, `/actions/runs/${id}/jobs`, { ...options, etag });
    if (answer.kind === 'unchanged' && etag !== null) {
      // They are recorded already.
      jobsEtag = etag;
      break;
    }
    // Deleted meanwhile.
    if (answer.kind === 'refused' && answer.status === 404) {
      return { problem: `Run ${id} was listed, but it is gone now.` };
    }
    if (answer.kind !== 'data') return { stoppedBy: obstacleOf(answer) };
    const list = readPage(answer.data, 'jobs');
    if (!list) return { stoppedBy: unreadable };
    jobs.push(...list.items);
    // An ETag is one page's: of several pages none can tell that all are unchanged.
    if (page === 1 && list.total <= jobsPerPage) jobsEtag = answer.etag;
    if (list.items.length < jobsPerPage || jobs.length >= list.total) break;
  }
  try {
    return { report: reportOf(run, jobs, program.clock.now()), jobsEtag };
  } catch (error) {
    if (error instanceof PublicError) return { problem: `Run ${id}: ${error.message}` };
    throw error;
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

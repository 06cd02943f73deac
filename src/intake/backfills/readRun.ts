import type { RunReport } from '../../ledger/runs/report.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { readPage, reportOf, type Item } from './readListed.ts';
import { obstacleOf, unreadable, type Obstacle, type Step } from './step.ts';

const jobsPerPage = 100;

export type ReadRun = { report: RunReport; jobsEtag: string | null };

type Asked = {
  run: Item;
  id: number;
  /** Of the list of jobs as it was recorded. */
  etag: string | null;
};

/** What was read of a run, and what is amiss; or why it cannot be read; or what kept it from being read now. */
type Reading =
  | { read: ReadRun | null; problem: string | null }
  | { unreadBecause: string }
  | { stoppedBy: Obstacle };

/** Reads a listed run with the jobs of all its attempts. */
export async function readRun(step: Step, repository: string, { run, id, etag }: Asked): Promise<Reading> {
  const list = await readJobs(step, repository, { id, etag });
  if (!('jobs' in list)) return list;
  const { jobs, jobsEtag, missing } = list;
  try {
    const report = reportOf(run, jobs, step.program.clock.now());
    const problem =
      missing > 0 ? `Run ${id}: GitHub counts ${missing} more of its jobs than it lists.` : null;
    return { read: { report, jobsEtag }, problem };
  } catch (error) {
    if (error instanceof PublicError) return { unreadBecause: error.message };
    throw error;
  }
}

type Jobs = { jobs: Item[]; jobsEtag: string | null; missing: number };

async function readJobs(
  { client, signal }: Step,
  repository: string,
  { id, etag: known }: Pick<Asked, 'id' | 'etag'>,
): Promise<Jobs | Reading> {
  const jobs: Item[] = [];
  let jobsEtag: string | null = null;
  for (let page = 1; ; page++) {
    const query = { filter: 'all', per_page: jobsPerPage, page };
    const etag = page === 1 ? known : null;
    const answer = await client.get(repository, `/actions/runs/${id}/jobs`, { query, signal, etag });
    // They are recorded already.
    if (answer.kind === 'unchanged' && etag !== null) return { jobs, jobsEtag: etag, missing: 0 };
    if (answer.kind === 'refused' && answer.status === 404) {
      return { read: null, problem: `Run ${id} was listed, but it is gone now.` };
    }
    if (answer.kind === 'refused') return { unreadBecause: answer.message };
    if (answer.kind !== 'data') return { stoppedBy: obstacleOf(answer) };
    const list = readPage(answer.data, 'jobs');
    if (!list) return { stoppedBy: unreadable };
    jobs.push(...list.items);
    // An ETag is one page's: of several pages none can tell that all are unchanged.
    if (page === 1 && list.items.length >= list.total) jobsEtag = answer.etag;
    if (list.items.length > 0 && page * jobsPerPage < list.total) continue;
    return { jobs, jobsEtag, missing: Math.max(0, list.total - jobs.length) };
  }
}

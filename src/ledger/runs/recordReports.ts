import { isDeepStrictEqual } from 'node:util';
import type { Program } from '../../context.ts';
import { lockCosts } from '../../tenancy/organizations/locks.ts';
import { findPriceList } from '../pricing/findPriceList.ts';
import type { PriceList } from '../pricing/priceList.ts';
import { completionsOf, type Completion } from './completionOf.ts';
import { noteCompletions } from './completions.ts';
import { rollupChanges } from './contributions.ts';
import { runIdOf, type RunHistory, type StoredRun } from './history.ts';
import { mergeReports } from './merge.ts';
import { findHistories, saveChanges } from './queries.ts';
import type { NamedWorkflow } from './recordedTables.ts';
import type { ReceivedReport } from './report.ts';
import { findReported } from './reported.queries.ts';

/**
 * Records what providers told about runs of one organization, all of it in one transaction. Repeating a report, or
 * sending reports in another order, leaves the same runs and totals.
 */
export async function recordReports(
  { db, providers, subscribers }: Pick<Program, 'db' | 'providers' | 'subscribers'>,
  orgId: string,
  reports: readonly ReceivedReport[],
): Promise<void> {
  if (reports.length === 0) return;
  await db.transaction().execute(async (tx) => {
    await lockCosts(tx, orgId);
    const before = await findReported(tx, orgId, reports);
    const prices = await findPriceList({ db: tx, providers }, orgId);
    const first = mergeAll(before, reports, prices);
    const moved = movedRuns(before, first.after);
    for (const [id, whole] of await findHistories(tx, orgId, moved)) before.set(id, whole);
    const { after, completions } = moved.length === 0 ? first : mergeAll(before, reports, prices);
    await saveChanges(tx, orgId, changesBetween(before, after));
    await noteCompletions(tx, { orgId, subscribers }, completions);
  });
}

/** Runs that turn out to be of another workflow: the sums of all their jobs move there. */
function movedRuns(
  before: ReadonlyMap<string, RunHistory>,
  after: ReadonlyMap<string, RunHistory>,
): string[] {
  return [...before].flatMap(([id, { run }]) =>
    after.get(id)!.run.workflowId === run.workflowId ? [] : [id],
  );
}

type Merged = { after: Map<string, RunHistory>; completions: Completion[] };

/** Run by run: a batch can tell thousands of times of one run, whose jobs are looked at once. */
function mergeAll(
  before: Map<string, RunHistory>,
  reports: readonly ReceivedReport[],
  prices: PriceList,
): Merged {
  const after = new Map<string, RunHistory>();
  const completions: Completion[] = [];
  for (const [id, ofRun] of Map.groupBy(reports, runIdOf)) {
    const known = before.get(id) ?? null;
    const history = mergeReports(known, ofRun, prices);
    after.set(id, history);
    completions.push(...completionsOf(known, ofRun, history));
  }
  return { after, completions };
}

/** What is to be written to get from some histories to others. */
function changesBetween(before: Map<string, RunHistory>, after: Map<string, RunHistory>) {
  const histories = [...after].map(([id, history]) => ({ before: before.get(id) ?? null, after: history }));
  const changed = histories.filter((history) => !isDeepStrictEqual(history.before, history.after));
  return {
    runs: changed
      .filter((history) => !isDeepStrictEqual(history.before?.run, history.after.run))
      .map(({ after: { run } }) => run),
    jobs: changed.flatMap((history) => changedJobs(history.before, history.after)),
    workflows: namedWorkflows(changed.map((history) => history.after.run)),
    rollups: rollupChanges(changed),
  };
}

function changedJobs(before: RunHistory | null, after: RunHistory): RunHistory['jobs'] {
  if (!before) return after.jobs;
  const known = new Map(before.jobs.map((job) => [`${job.attempt}/${job.jobId}`, job]));
  return after.jobs.filter((job) => !isDeepStrictEqual(known.get(`${job.attempt}/${job.jobId}`), job));
}

/** The workflows of the runs, each once, named by the latest of them. */
export function namedWorkflows(runs: StoredRun[]): NamedWorkflow[] {
  const workflows = new Map<string, NamedWorkflow>();
  for (const run of runs) {
    const known = workflows.get(run.workflowId);
    const name = run.workflowName || run.workflowPath || 'unnamed workflow';
    const named = { id: run.workflowId, repository: run.repository, name, namedAt: run.createdAt };
    if (!known || isLaterName(named, known)) workflows.set(run.workflowId, named);
  }
  return [...workflows.values()];
}

/** As the database decides it between batches. */
function isLaterName(named: NamedWorkflow, known: NamedWorkflow): boolean {
  const difference = named.namedAt.getTime() - known.namedAt.getTime();
  return difference === 0 ? named.name > known.name : difference > 0;
}

import { isDeepStrictEqual } from 'node:util';
import { dayOf } from '../../platform/lib/days.ts';
import { inTurns } from '../../platform/lib/turns.ts';
import { freePeriodsOf } from '../pricing/netCost.ts';
import type { PriceList } from '../pricing/priceList.ts';
import type { Providers } from '../pricing/provider.ts';
import type { Completion } from './completion.queries.ts';
import { completionsOf } from './completions.ts';
import { namedWorkflows, sumChanges, type HistoryChange } from './contributions.ts';
import { jobKey, queriedFields, runIdOf, type RunHistory } from './history.ts';
import { mergeReports } from './merge.ts';
import type { Changes } from './queries.ts';
import type { ReceivedReport } from './report.ts';

/** Runs whose jobs all move to other rollups. */
export function movedRuns(
  before: ReadonlyMap<string, RunHistory>,
  after: ReadonlyMap<string, RunHistory>,
  providers: Providers,
): string[] {
  return [...before].flatMap(([id, { run }]) => {
    const now = after.get(id)!.run;
    const isSame =
      now.workflowId === run.workflowId &&
      isDeepStrictEqual(freePeriodsOf(now, providers), freePeriodsOf(run, providers));
    return isSame ? [] : [id];
  });
}

type Histories = { after: Map<string, RunHistory>; completions: Completion[] };

export async function mergeAll(
  before: Map<string, RunHistory>,
  reports: readonly ReceivedReport[],
  prices: PriceList,
): Promise<Histories> {
  const after = new Map<string, RunHistory>();
  const completions: Completion[] = [];
  for await (const [id, ofRun] of inTurns(Map.groupBy(reports, runIdOf))) {
    const known = before.get(id) ?? null;
    const history = mergeReports(known, ofRun, prices);
    after.set(id, history);
    completions.push(...completionsOf(known, ofRun, history));
  }
  return { after, completions };
}

export async function changesBetween(
  before: Map<string, RunHistory>,
  after: Map<string, RunHistory>,
  providers: Providers,
): Promise<Changes> {
  const rollups = sumChanges(providers);
  const changed: { before: RunHistory | null; after: RunHistory }[] = [];
  for await (const [id, history] of inTurns(after)) {
    const change = { before: before.get(id) ?? null, after: history };
    if (isDeepStrictEqual(change.before, change.after)) continue;
    changed.push(change);
    rollups.add(change);
  }
  return {
    runs: changed
      .filter((history) => !isDeepStrictEqual(history.before?.run, history.after.run))
      .map(({ after: { run } }) => run),
    jobs: changed.flatMap((history) => changedJobs(history.before, history.after)),
    workflows: namedWorkflows(changed.map((history) => history.after.run)),
    rollups: rollups.total(),
    redescribed: changed.filter(isRedescribed).map((history) => history.after.run.id),
    redated: changed.filter(isRedated).map((history) => history.after.run.id),
  };
}

function isRedescribed({ before, after }: HistoryChange): boolean {
  if (before === null || after === null) return false;
  if (!isDeepStrictEqual(before.run.attemptActors, after.run.attemptActors)) return true;
  return queriedFields.some((field) => before.run[field] !== after.run[field]);
}

function isRedated({ before, after }: HistoryChange): boolean {
  return before !== null && after !== null && dayOf(before.run.createdAt) !== dayOf(after.run.createdAt);
}

function changedJobs(before: RunHistory | null, after: RunHistory): RunHistory['jobs'] {
  if (!before) return after.jobs;
  const known = new Map(before.jobs.map((job) => [jobKey(job), job]));
  return after.jobs.filter((job) => !isDeepStrictEqual(known.get(jobKey(job)), job));
}

import { readFileSync } from 'node:fs';
import { demoHistory } from '../src/demo/history.ts';
import { createForecaster } from '../src/insight/estimates/forecastJobs.ts';
import type { History } from '../src/insight/estimates/history.ts';
import type { JobCell, RunCell } from '../src/insight/estimates/queries.ts';
import { costOf, createRunners } from '../src/insight/estimates/runners.ts';
import { createSampler, rangeOf, weeksOf } from '../src/insight/estimates/weeks.ts';
import { providers as knownProviders } from '../src/intake/providers/providers.ts';
import type { PlannedWorkflow } from '../src/ledger/pricing/plan.ts';
import { createPriceList } from '../src/ledger/pricing/priceList.ts';
import { createProviders } from '../src/ledger/pricing/provider.ts';
import { mergeReports } from '../src/ledger/runs/merge.ts';
import type { RunReport } from '../src/ledger/runs/report.ts';
import { addDays, dayOf, windowBetween, windowEnding, type Day } from '../src/platform/lib/days.ts';
import { kinds, randomHistory, randomPath } from './estimateHistories.ts';
import { isQuick } from './quick.ts';
import { logProgress, type Report } from './report.ts';
import { median } from './statistics.ts';

const providers = createProviders(knownProviders);
const list = createPriceList(providers.books[0]!, [], providers);

const monthDays = 30;
const maxDays = 84;
const seeds = isQuick ? [1] : [1, 2, 3];
const runsPerDay = isQuick ? 30 : 220;
/** A Saturday. The last month contains the demo's three runaway days. */
const demoEnd = new Date('2026-11-14T23:59:59Z');

/** The cost of a workflow's month, predicted from the weeks before, and its actual cost. */
export type Prediction = {
  workflow: string;
  month: Day;
  actual: number;
  central: number;
  /** The known days' mean, times the days of the month. */
  plainMean: number;
  low: number;
  high: number;
  isWithin: boolean;
};

/** Back-tests estimates of unchanged workflows: predicts the cost of a month from the weeks before it. */
export function benchEstimate(): Report {
  const rows = [
    ...[365, 114].map((days) => {
      logProgress(`Predicting the last month of demo companies with ${days} days …`);
      const found = seeds.flatMap((seed) => backTest(demoReports(days, seed), 1));
      return rowOf(`demo, last month of ${days} days`, found);
    }),
    rowOf(
      'demo, each of six months',
      seeds.flatMap((seed) => backTest(demoReports(365, seed), 6)),
    ),
    rowOf('recorded at GitHub, each month', backTest(recordedReports(), 12)),
    ...randomBackTests(isQuick ? 20 : 500).map(({ title, found }) => rowOf(title, found)),
  ];
  return {
    headings: [
      'HISTORY',
      'WORKFLOW MONTHS',
      'IN RANGE',
      'MEDIAN ERROR',
      'OF A PLAIN MEAN',
      'RATIO',
      'BIAS',
      'MEDIAN WIDTH',
    ],
    rows,
    notes: [
      `Demo companies with seeds ${seeds.join(', ')}, and the recorded runs of test/fixtures/github-api. Each month of ` +
        `${monthDays} days is predicted from up to ${maxDays} days before it, as POST /api/v1/estimates does, but with unusual days.`,
      'Random histories are of bench/estimateHistories.ts. A plain mean is the daily mean of the same days, times the days of the ' +
        'month. Ratio: median error of the estimate, divided by that of the plain mean.',
      'Error, bias and width are shares of the actual cost. Width: from the low to the high end of the likely range.',
    ],
  };
}

export function demoReports(days: number, seed: number): RunReport[] {
  return [...demoHistory({ days, runs: runsPerDay * days, seed, now: demoEnd })];
}

/**
 * Treats each recorded run as one job that took as long as the run. Leaves out runs that changed after they had ended.
 */
export function recordedReports(): RunReport[] {
  const file = new URL('../test/fixtures/github-api/runs.jsonl', import.meta.url);
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RecordedRun)
    .filter((run) => Date.parse(run.updated_at) - Date.parse(run.created_at) < maxRunMilliseconds)
    .map(reportOf);
}

type RecordedRun = {
  id: number;
  workflow_id: number;
  event: string;
  head_branch: string | null;
  conclusion: string | null;
  created_at: string;
  updated_at: string;
  repository: { full_name: string };
};

const maxRunMilliseconds = 6 * 3_600_000;

function reportOf({
  id,
  workflow_id,
  event,
  head_branch: branch,
  repository,
  ...run
}: RecordedRun): RunReport {
  const createdAt = new Date(run.created_at);
  const end = new Date(run.updated_at);
  const times = { createdAt, startedAt: createdAt, completedAt: end };
  const state = { status: 'completed' as const, rawConclusion: run.conclusion };
  return {
    provider: 'github',
    runId: String(id),
    attempt: 1,
    repository: repository.full_name,
    isPrivate: true,
    workflowName: String(workflow_id),
    workflowPath: `.github/workflows/${workflow_id}.yml`,
    event,
    branch,
    actor: null,
    pullRequest: null,
    runNumber: null,
    commit: null,
    observedAt: end,
    state: { ...state, ...times, completedAt: null },
    jobs: [
      {
        jobId: `${id}-1`,
        attempt: 1,
        name: 'job',
        labels: ['ubuntu-latest'],
        runnerName: 'GitHub Actions 1',
        runnerGroup: 'GitHub Actions',
        ran: true,
        observedAt: end,
        ...state,
        ...times,
      },
    ],
  };
}

/** Predicts the last months of each workflow for which four weeks of history are known. */
export function backTest(reports: readonly RunReport[], months: number): Prediction[] {
  const { jobs, runs } = cellsOf(reports);
  const days = runs.map(({ day }) => day).toSorted();
  const lastDay = days.at(-1)!;
  const byWorkflow = Map.groupBy(runs, ({ workflowId }) => workflowId);
  return [...byWorkflow].flatMap(([workflow, own]) => {
    const first = own.map(({ day }) => day).toSorted()[0]!;
    const last = own
      .map(({ day }) => day)
      .toSorted()
      .at(-1)!;
    // Recorded samples end on different days, so a demo company ends on the same day as the sample.
    const end = lastDay.slice(0, 4) === last.slice(0, 4) && months === 1 ? lastDay : last;
    return (
      Array.from({ length: months }, (_, index) => windowEnding(addDays(end, -monthDays * index), monthDays))
        .filter(({ start }) => addDays(start, -28) >= first)
        .map(({ start, end: until }) => {
          const ofWorkflow = jobs.filter(({ workflowId }) => workflowId === workflow);
          const known = addDays(start, -maxDays) > days[0]! ? addDays(start, -maxDays) : days[0]!;
          const isBefore = ({ day }: { day: Day }) => day >= known && day < start;
          const history: History = {
            window: windowBetween(known, addDays(start, -1)),
            jobs: ofWorkflow.filter(isBefore),
            runs: runs.filter((run) => isBefore(run) && repositoryOf(run) === repositoryOf(own[0]!)),
            starts: [],
            recordedJobs: 0,
            leftOutDays: [],
            firstDays: new Map([[workflow, first]]),
            provider: 'github',
          };
          const actual = ofWorkflow.filter(({ day }) => day >= start && day <= until);
          return { workflow, month: start, ...predict(workflow, history, actual) };
        })
        // An estimate lists a workflow without recorded runs as unresolved.
        .filter(({ high }) => high > 0)
    );
  });
}

function repositoryOf({ workflowId }: { workflowId: string }): string {
  return workflowId.split(' ')[0]!;
}

function predict(
  path: string,
  history: History,
  month: readonly JobCell[],
): Omit<Prediction, 'workflow' | 'month'> {
  const weeks = weeksOf(history.window);
  const runners = createRunners(history.jobs, { list, provider: 'github', day: history.window.end });
  const forecaster = createForecaster({
    history,
    weeks,
    runners,
    speeds: () => null,
    repository: '',
    timed: [],
  });
  const names = [...new Set(history.jobs.map(({ name }) => name))];
  const workflow: PlannedWorkflow = {
    path,
    name: path,
    isOf: (run) => run.workflowPath === path.split(' ')[1],
    triggers: null,
    cancelsSuperseded: false,
    unreadKeys: [],
    jobs: names.map((name) => ({
      key: name,
      name,
      hasName: (recorded: string) => recorded === name,
      labels: null,
      runnerGroup: null,
      shard: { group: name, count: 1 },
      unknownMatrix: null,
      timeout: null,
      condition: null,
      startedByHand: false,
      work: '',
    })),
  };
  const flows = workflow.jobs.flatMap((job) => {
    const side = { workflow, job };
    return forecaster.forecast({ base: side, head: side, before: workflow }).base?.flows ?? [];
  });
  const { central, samples } = createSampler(weeks, monthDays)(flows);
  const { low, high } = rangeOf(samples);
  const sumOf = (cells: readonly JobCell[]) =>
    cells.reduce((sum, cell) => sum + costOf(cell, runners.ofCell(cell)), 0);
  const actual = sumOf(month);
  const plainMean = (sumOf(history.jobs) / history.window.days) * monthDays;
  return { actual, central, plainMean, low, high, isWithin: low <= actual && actual <= high };
}

/** Predicts the month after random histories of four, eight and twelve weeks. */
export function randomBackTests(count: number): { title: string; found: Prediction[] }[] {
  return kinds.flatMap((kind) =>
    [4, 8, 12].map((weeks) => {
      const found = Array.from({ length: count }, (_, seed) => {
        const { history, month } = randomHistory(kind, weeks, monthDays, seed);
        const of = { workflow: kind.name, month: history.window.end };
        return { ...of, ...predict(` ${randomPath}`, history, month) };
      });
      return { title: `${kind.name}, ${weeks} weeks`, found };
    }),
  );
}

function cellsOf(reports: readonly RunReport[]): { jobs: JobCell[]; runs: RunCell[] } {
  const jobs: JobCell[] = [];
  const runs: RunCell[] = [];
  for (const report of reports) {
    const merged = mergeReports(null, [report], list);
    const { workflowPath, workflowName, event } = report;
    const workflowId = `${report.repository} ${workflowPath}`;
    const day = dayOf(report.state!.createdAt!);
    const run = { day, workflowId, workflowPath, workflowName, event };
    runs.push({ ...run, runs: 1 });
    for (const job of merged.jobs) {
      if (job.isCarriedOver || job.billedMinutes === 0) continue;
      const { name, labels, runnerGroup, runnerKind, rounding, billedMinutes: minutes } = job;
      const seconds = Math.ceil((job.completedAt!.getTime() - job.startedAt!.getTime()) / 1_000);
      const facts = { name: name ?? '', labels, runnerGroup, runnerKind, rounding };
      const times = { minutes: BigInt(minutes), seconds: BigInt(seconds) };
      jobs.push({ ...run, costDay: day, ...facts, ...times, jobs: 1, repeatedJobs: Number(job.attempt > 1) });
    }
  }
  return { jobs, runs };
}

/** Shares of the actual cost. */
export function medianErrors(found: readonly Prediction[]): { ofEstimate: number; ofPlainMean: number } {
  const known = found.filter(({ actual }) => actual > 0);
  const errorOf = (of: (prediction: Prediction) => number) =>
    median(known.map((each) => Math.abs(of(each) - each.actual) / each.actual));
  return {
    ofEstimate: errorOf(({ central }) => central),
    ofPlainMean: errorOf(({ plainMean }) => plainMean),
  };
}

function rowOf(title: string, found: readonly Prediction[]): string[] {
  const known = found.filter(({ actual }) => actual > 0);
  const percent = (share: number) => `${(100 * share).toFixed(1).replace('-', '−')}%`;
  const share = (of: (prediction: Prediction) => number) =>
    percent(median(known.map((each) => of(each) / each.actual)));
  const { ofEstimate, ofPlainMean } = medianErrors(found);
  const within = found.filter(({ isWithin }) => isWithin).length;
  return [
    title,
    String(found.length),
    `${Math.round((100 * within) / found.length)}%`,
    percent(ofEstimate),
    percent(ofPlainMean),
    (ofEstimate / ofPlainMean).toFixed(2),
    share(({ central, actual }) => central - actual),
    share(({ low, high }) => high - low),
  ];
}

import type { RunnerPrice } from '../../ledger/pricing/cost.ts';
import type { PlannedWorkflow } from '../../ledger/pricing/plan.ts';
import { getOrCreate } from '../../platform/lib/lists.ts';
import { countOf } from '../../platform/lib/text.ts';
import type { Speed } from '../moves/speed.ts';
import {
  firstWeekOf,
  frequenciesOf,
  growthOfEvent,
  jobsNamed,
  recordedOf,
  weeklySums,
  type Frequencies,
  type Frequency,
  type Recorded,
} from './flows.ts';
import type { History } from './history.ts';
import { differencesOf, type Difference, type Pair, type Side } from './match.ts';
import type { JobCell } from './queries.ts';
import { costOf, isOn, type Runners } from './runners.ts';
import { findSimilar, withWords, type Similar, type Timed, type Worded } from './similar.ts';
import type { Speeds } from './speeds.ts';
import { noGrowth, type Flow, type Growth, type Weeks } from './weeks.ts';

export type Gap = 'unpriced' | 'unknown_runner' | 'no_similar' | 'unknown_matrix' | 'unreadable';

export type Expected = { flows: Flow[]; gap: null } | { flows: null; gap: Gap };

export type Basis = { kind: 'own_history' | 'similar_jobs' | 'none'; text: string };

/** The expected cost of a job before and after the change. A side is null if the job does not exist there. */
export type JobForecast = {
  pair: Pair;
  differences: Difference[];
  base: Expected | null;
  head: Expected | null;
  basis: Basis;
  /** Measured ones of its other runner. Empty if the runner stays, or nobody has measured the other. */
  speeds: readonly Speed[];
};

export type Forecaster = {
  forecast: (pair: Pair) => JobForecast;
  frequencies: (pair: Pair) => Frequencies | null;
};

type Options = {
  history: History;
  weeks: Weeks;
  runners: Runners;
  speeds: Speeds;
  repository: string;
  /** Recorded jobs that provide durations. */
  timed: readonly Timed[];
};

export function createForecaster({
  history,
  weeks,
  runners,
  speeds,
  repository,
  timed,
}: Options): Forecaster {
  const recordedBy = memoized((workflow: PlannedWorkflow) => recordedOf(workflow, history, weeks));
  const known = new Map<PlannedWorkflow, Frequencies>();
  const frequencies = ({ head, before }: Pair) => {
    if (!head) return null;
    const { workflow } = head;
    const recorded = recordedBy(before ?? workflow);
    if (!known.has(workflow))
      known.set(workflow, frequenciesOf(workflow, before, { recorded, history, weeks }));
    return known.get(workflow)!;
  };
  const growthOf = memoized((event: string) => growthOfEvent(event, history, weeks));
  const place = { weeks, runners, speeds, repository, timed: withWords(timed), growthOf };
  const sharing = memoized(({ jobs }: PlannedWorkflow) => ({
    byName: Map.groupBy(jobs, ({ name }) => name),
    byGroup: Map.groupBy(jobs, ({ shard }) => shard.group),
  }));
  /** The shards at the base that did a job's work, if their number differs. */
  const shardsBefore = ({ head, before }: Pair): Side[] => {
    const olds = (head && before && sharing(before).byGroup.get(head.job.shard.group)) ?? [];
    const isOther = olds.length > 0 && olds[0]!.shard.count !== head!.job.shard.count;
    return isOther ? olds.map((job) => ({ workflow: before!, job })) : [];
  };
  const forecastPair = (pair: Pair): Omit<JobForecast, 'speeds'> => {
    const side = pair.base ?? pair.head!;
    const recorded = recordedBy(pair.before ?? side.workflow);
    const cells = jobsNamed(side.job, recorded);
    const shards = shardsBefore(pair);
    const differences = differencesOf(shards.length > 0 ? { ...pair, base: shards[0]! } : pair);
    const { list } = frequencies(pair) ?? { list: [] };
    const fraction = 1 / sharing(side.workflow).byName.get(side.job.name)!.length;
    const own = { recorded, cells, fraction, ...place };
    if (hasOtherUnknownMatrix(pair)) {
      const basis: Basis = { kind: 'none', text: 'its matrix is not known' };
      const before = pair.base && forecastBase(pair.base, own);
      return { pair, differences, base: before, head: { flows: null, gap: 'unknown_matrix' }, basis };
    }
    const allCells = [...new Set(shards.flatMap(({ job }) => jobsNamed(job, recorded)))];
    if (allCells.length > 0) {
      const all = { ...own, cells: allCells, fraction: 1 / pair.head!.job.shard.count };
      const head = forecastChanged({ ...pair, base: shards[0]! }, list, all);
      const text = `${recordedText(allCells)} of the ${countOf(shards.length, 'shard')} before`;
      return {
        pair,
        differences,
        base: pair.base && forecastBase(pair.base, own),
        head,
        basis: { kind: 'own_history', text },
      };
    }
    if (!pair.base) return { pair, differences, base: null, ...forecastNew(pair.head!, list, own) };
    if (cells.length === 0) return { pair, differences, ...forecastUnseen(pair, list, own) };
    const basis: Basis = { kind: 'own_history', text: `${recordedText(cells)} of its own` };
    const base = forecastBase(pair.base, own);
    const isSame = !differences.includes('runner') && !differences.includes('triggers');
    const head = !pair.head ? null : isSame ? base : forecastChanged(pair, list, own);
    return { pair, differences, base, head, basis };
  };
  const speedsOf = ({ base, head, before }: Pair): Speed[] => {
    if (!base || !head) return [];
    const cells = jobsNamed(base.job, recordedBy(before ?? base.workflow));
    return [...new Set(cells.flatMap((cell) => speedAt(head, cell, place) ?? []))];
  };
  return {
    frequencies,
    forecast: (pair) => {
      const found = forecastPair(pair);
      return { ...found, speeds: found.differences.includes('runner') ? speedsOf(pair) : [] };
    },
  };
}

function recordedText(cells: readonly JobCell[]): string {
  const count = cells.reduce((sum, { jobs, isStandIn }) => sum + (isStandIn ? 0 : jobs), 0);
  return countOf(count, 'recorded job');
}

/** If the matrix is unchanged, recorded jobs show how many jobs it makes. */
function hasOtherUnknownMatrix({ base, head }: Pair): boolean {
  return !!head && head.job.unknownMatrix !== null && head.job.unknownMatrix !== base?.job.unknownMatrix;
}

function memoized<Key, Value>(find: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    if (!known.has(key)) known.set(key, find(key));
    return known.get(key)!;
  };
}

type Own = Omit<Options, 'history' | 'timed'> & {
  timed: readonly Worded[];
  recorded: Recorded;
  cells: readonly JobCell[];
  /** The job's share of these: jobs of one name and shards have theirs together. */
  fraction: number;
  growthOf: (event: string) => Growth;
};

/** A recorded job keeps its runner's price, unless its labels have changed. */
function runnerOf({ job }: Side, cell: JobCell, runners: Runners): RunnerPrice {
  const planned = job.labels;
  if (planned === null || isOn(cell, { labels: planned, runnerGroup: job.runnerGroup }))
    return runners.ofCell(cell);
  return runners.ofJob(job) ?? runners.ofCell(cell);
}

function forecastBase(side: Side, own: Own): Expected {
  const { recorded, cells, fraction, weeks, runners, growthOf } = own;
  const events = side.workflow.triggers?.map(({ event }) => event);
  const current = cells.filter(({ event }) => event === null || !events || events.includes(event));
  if (isUnpriced(side, cells, runners)) return { flows: null, gap: 'unpriced' };
  const { from, scale } = firstWeekOf(cells, { recorded, weeks });
  const sums = weeklySums(
    current,
    (cell) => fraction * costOf(cell, runnerOf(side, cell, runners), speedAt(side, cell, own)?.factor),
    weeks,
    scale,
  );
  const flows = [...sums].map(([event, weekly]) => ({ weekly, from, pool: null, growth: growthOf(event) }));
  return { flows, gap: null };
}

function isUnpriced(side: Side, cells: readonly JobCell[], runners: Runners): boolean {
  return cells.length > 0 && cells.every((cell) => !runnerOf(side, cell, runners).hasPrice);
}

function forecastChanged(pair: Pair, list: readonly Frequency[], own: Own): Expected {
  const { recorded, cells, fraction, weeks, runners, growthOf } = own;
  const [base, head] = [pair.base!, pair.head!];
  const isMoved = differencesOf(pair).includes('runner');
  if (isMoved && head.job.labels === null) return { flows: null, gap: 'unknown_runner' };
  const runner = isMoved ? runners.ofJob(head.job)! : null;
  if (runner ? !runner.hasPrice : isUnpriced(base, cells, runners)) return { flows: null, gap: 'unpriced' };
  const costOfCell = (cell: JobCell) =>
    fraction * costOf(cell, runner ?? runnerOf(base, cell, runners), speedAt(head, cell, own)?.factor);
  const { from, scale } = firstWeekOf(cells, { recorded, weeks });
  const sums = weeklySums(cells, costOfCell, weeks, scale);
  const byWeek = costsPerRun(sums, from, recorded, weeks);
  // All runs may be older than the first whole week.
  const total = cells.reduce((sum, cell) => sum + costOfCell(cell), 0);
  const costs = byWeek.length > 0 ? byWeek : [total / Math.max(1, recorded.runCount)];
  const flows = list.map((frequency): Flow => {
    if (frequency.kind === 'recorded') {
      const weekly = sums.get(frequency.event) ?? zeros(weeks);
      const growth = growthOf(frequency.event);
      return { weekly: weekly.map((cost) => cost * frequency.ratio), from, pool: null, growth };
    }
    return { ...expectedFlow(frequency, own), pool: costs };
  });
  return { flows, gap: null };
}

/** Null if the job's runner is the same, or nobody has measured the other. */
function speedAt(
  { job }: Side,
  cell: JobCell,
  { runners, speeds }: Pick<Own, 'runners' | 'speeds'>,
): Speed | null {
  const { labels, runnerGroup } = job;
  if (labels === null || isOn(cell, { labels, runnerGroup })) return null;
  return speeds(cell, { runner: runners.ofJob(job)!, labels });
}

function expectedFlow(
  { event, weekly, from, isFixed }: Extract<Frequency, { kind: 'expected' }>,
  { growthOf }: Own,
): Omit<Flow, 'pool'> {
  return { weekly, from, growth: isFixed ? noGrowth : growthOf(event) };
}

function costsPerRun(
  sums: ReadonlyMap<string, readonly number[]>,
  from: number,
  { runs }: Recorded,
  weeks: Weeks,
): number[] {
  const at = (weekly: ReadonlyMap<string, readonly number[]>, week: number) =>
    [...weekly.values()].reduce((sum, each) => sum + each[week]!, 0);
  return Array.from({ length: weeks.count - from }, (_, index) => from + index)
    .filter((week) => at(runs, week) > 0)
    .map((week) => at(sums, week) / at(runs, week));
}

function zeros(weeks: Weeks): number[] {
  return Array.from({ length: weeks.count }, () => 0);
}

function forecastNew(side: Side, list: readonly Frequency[], own: Own): { head: Expected; basis: Basis } {
  const none = (text: string): Basis => ({ kind: 'none', text });
  const runner = own.runners.ofJob(side.job);
  if (runner === null)
    return { head: { flows: null, gap: 'unknown_runner' }, basis: none('its runner is not known') };
  if (!runner.hasPrice)
    return { head: { flows: null, gap: 'unpriced' }, basis: none('its runner has no price') };
  if (side.job.startedByHand)
    return { head: { flows: [], gap: null }, basis: none('people start it by hand, which counts as never') };
  const similar = ownDurations(own, runner) ?? similarTo(side, runner, own);
  if (similar === null)
    return { head: { flows: null, gap: 'no_similar' }, basis: none('no similar job is recorded') };
  const repeats = own.recorded.runCount > 0 ? own.recorded.repeats : 1;
  const pool = similar.pool.map((cost) => cost * repeats);
  const flows = list.map((frequency): Flow => {
    if (frequency.kind === 'expected') return { ...expectedFlow(frequency, own), pool };
    const runs = own.recorded.runs.get(frequency.event) ?? zeros(own.weeks);
    return {
      weekly: runs.map((count) => count * frequency.ratio),
      from: own.recorded.from,
      pool,
      growth: own.growthOf(frequency.event),
    };
  });
  return { head: { flows, gap: null }, basis: { kind: 'similar_jobs', text: similar.text } };
}

/** A new job may already have run on its own branch. */
function ownDurations({ cells }: Own, runner: RunnerPrice): Similar | null {
  const jobs = cells.reduce((sum, each) => sum + each.jobs, 0);
  if (jobs === 0) return null;
  const pool = cells.map((cell) => costOf(cell, runner) / cell.jobs);
  return {
    pool,
    jobs,
    text: `${recordedText(cells)} of its own, from before the merge`,
  };
}

function similarTo({ workflow, job }: Side, runner: RunnerPrice, { repository, timed }: Own): Similar | null {
  const { key, name } = job;
  return findSimilar({ key, name, workflow: workflow.path, repository, runner }, timed);
}

/** For a job at the base that has never been recorded. */
function forecastUnseen(
  pair: Pair,
  list: readonly Frequency[],
  own: Own,
): Pick<JobForecast, 'base' | 'head' | 'basis'> {
  const base: Expected = { flows: [], gap: null };
  const runs = own.recorded.runCount;
  const text =
    runs > 0
      ? `no billed job among ${runs} recorded ${runs === 1 ? 'run' : 'runs'} of its workflow`
      : 'no run of its workflow is recorded';
  const basis: Basis = { kind: 'none', text };
  const isStarted = list.some(({ kind }) => kind === 'expected');
  if (!pair.head || !isStarted || runs > 0) return { base, head: pair.head && base, basis };
  return { base, ...forecastNew(pair.head, list, own) };
}

/** The repository's jobs by workflow, name, runner and week, as input for `findSimilar`. */
export function timedOf(cells: readonly JobCell[], repository: string, weeks: Weeks): Timed[] {
  const sums = new Map<string, Timed>();
  for (const { workflowPath, workflowName, name, runnerKind, day, jobs, minutes, seconds } of cells) {
    const workflow = workflowPath ?? workflowName;
    const key = JSON.stringify([workflow, name, runnerKind, weeks.indexOf(day)]);
    const sum = getOrCreate(sums, key, () => {
      return { repository, workflow, name, runnerKind, jobs: 0, minutes: 0n, seconds: 0n };
    });
    sum.jobs += jobs;
    sum.minutes += minutes;
    sum.seconds += seconds;
  }
  return [...sums.values()];
}

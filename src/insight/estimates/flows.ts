import type { PlannedJob, PlannedWorkflow, Trigger } from '../../ledger/pricing/plan.ts';
import { addDays } from '../../platform/lib/days.ts';
import { getOrCreate } from '../../platform/lib/lists.ts';
import { runsPerWeek } from './cron.ts';
import type { History } from './history.ts';
import type { JobCell, RunCell } from './queries.ts';
import { growthOf, type Growth, type Weeks } from './weeks.ts';

export type Recorded = {
  jobs: readonly JobCell[];
  jobsByName: ReadonlyMap<string, readonly JobCell[]>;
  /** Runs by event and week. */
  runs: ReadonlyMap<string, readonly number[]>;
  runCount: number;
  from: number;
  scale: number;
  /** The average number of jobs per first attempt, among jobs that ran. */
  repeats: number;
};

export function recordedOf(workflow: PlannedWorkflow, history: History, weeks: Weeks): Recorded {
  const jobs = history.jobs.filter(workflow.isOf);
  const runCells = history.runs.filter(workflow.isOf);
  const ids = new Set([...jobs, ...runCells].map(({ workflowId }) => workflowId));
  const first = [...ids].map((id) => history.firstDays.get(id) ?? history.window.start).toSorted()[0];
  const known = weeks.knownFrom(first ?? history.window.start);
  const runs = new Map<string, number[]>();
  for (const { event, day, runs: count } of runCells) add(runs, event ?? '', weeks, day, count * known.scale);
  const jobsByName = Map.groupBy(jobs, ({ name }) => name);
  return { jobs, jobsByName, runs, runCount: countOf(runCells), ...known, repeats: repeatsOf(jobs) };
}

function countOf(cells: readonly RunCell[]): number {
  return cells.reduce((sum, { runs }) => sum + runs, 0);
}

function repeatsOf(cells: readonly JobCell[]): number {
  const sum = (count: (cell: JobCell) => number) => cells.reduce((all, cell) => all + count(cell), 0);
  const [jobs, repeated] = [sum((cell) => cell.jobs), sum((cell) => cell.repeatedJobs)];
  return jobs > repeated ? jobs / (jobs - repeated) : 1;
}

function add(sums: Map<string, number[]>, key: string, weeks: Weeks, day: string, value: number): void {
  const week = weeks.indexOf(day);
  if (week < 0) return;
  const weekly = getOrCreate(sums, key, () => Array.from({ length: weeks.count }, () => 0));
  weekly[week]! += value;
}

export function weeklySums(
  cells: readonly JobCell[],
  valueOf: (cell: JobCell) => number,
  weeks: Weeks,
  scale: number,
): Map<string, number[]> {
  const sums = new Map<string, number[]>();
  for (const cell of cells) add(sums, cell.event ?? '', weeks, cell.day, valueOf(cell) * scale);
  return sums;
}

export type Frequency =
  | { kind: 'recorded'; event: string; ratio: number }
  | { kind: 'expected'; event: string; weekly: readonly number[]; from: number; isFixed: boolean };

export type Frequencies = { list: Frequency[]; assumptions: string[]; unresolved: string[] };

/** `before` is the workflow at the base, or null for a new one. */
export function frequenciesOf(
  workflow: PlannedWorkflow,
  before: PlannedWorkflow | null,
  { recorded, history, weeks }: { recorded: Recorded; history: History; weeks: Weeks },
): Frequencies {
  const found: Frequencies = { list: [], assumptions: [], unresolved: [] };
  const { triggers } = workflow;
  if (triggers === null || (before !== null && before.triggers === null)) {
    return before ? recordedFrequencies(recorded, found) : everyPipeline(history, weeks, found);
  }
  // Jobs without a recorded run have no event.
  if (recorded.jobs.some(({ event }) => event === null))
    found.list.push({ kind: 'recorded', event: '', ratio: 1 });
  for (const trigger of triggers) {
    const old = before?.triggers?.find(({ event }) => event === trigger.event) ?? null;
    if (old?.filter === trigger.filter) found.list.push({ kind: 'recorded', event: trigger.event, ratio: 1 });
    else addChanged(trigger, old, { history, weeks, found });
  }
  return found;
}

function recordedFrequencies(recorded: Recorded, found: Frequencies): Frequencies {
  const events = new Set([...recorded.runs.keys(), ...recorded.jobs.map(({ event }) => event ?? '')]);
  return { ...found, list: [...events].map((event) => ({ kind: 'recorded', event, ratio: 1 })) };
}

function everyPipeline(history: History, weeks: Weeks, found: Frequencies): Frequencies {
  const { from } = weeks.knownFrom(firstDayOf(history));
  const weekly = startsByWeek(history, weeks, () => true);
  return { ...found, list: [{ kind: 'expected', event: '', weekly, from, isFixed: false }] };
}

type Place = { history: History; weeks: Weeks; found: Frequencies };

function addChanged(trigger: Trigger, old: Trigger | null, { history, weeks, found }: Place): void {
  const { event, crons, takesBranch, unknownFilters } = trigger;
  if (crons.length > 0) {
    const rates = crons.map(runsPerWeek);
    const unread = crons.filter((_, index) => rates[index] === null);
    if (unread.length > 0) found.unresolved.push(`The schedule ${unread.join(', ')} cannot be read.`);
    const rate = rates.reduce<number>((sum, each) => sum + (each ?? 0), 0);
    found.assumptions.push(
      `Schedules that are new or changed run as often as their cron expressions say: ${crons.join(', ')}.`,
    );
    found.list.push({
      kind: 'expected',
      event,
      weekly: Array.from({ length: weeks.count }, () => rate),
      from: 0,
      isFixed: true,
    });
    return;
  }
  if (unknownFilters.length > 0) {
    found.assumptions.push(
      `Recorded runs do not show what the filter \`${unknownFilters.join('`, `')}\` of ${event} leaves out, so it leaves out nothing.`,
    );
  }
  const taken = (takes: Trigger['takesBranch']) =>
    startsByWeek(history, weeks, (each) => each.event === event && (takes?.(each.branch ?? '') ?? true));
  const weekly = taken(takesBranch);
  const [then, now] = [old ? total(taken(old.takesBranch)) : 0, total(weekly)];
  if (old && then > 0) {
    found.list.push({ kind: 'recorded', event, ratio: now / then });
    return;
  }
  if (!history.starts.some((each) => each.event === event)) {
    found.unresolved.push(
      `No ${event} event is recorded in the repository, so runs that it starts are not counted.`,
    );
    return;
  }
  found.assumptions.push(`${event} starts a run as often as it happened in the repository.`);
  found.list.push({
    kind: 'expected',
    event,
    weekly,
    from: weeks.knownFrom(firstDayOf(history)).from,
    isFixed: false,
  });
}

function startsByWeek(
  history: History,
  weeks: Weeks,
  isTaken: (start: { event: string; branch: string | null }) => boolean,
): number[] {
  const { scale } = weeks.knownFrom(firstDayOf(history));
  const sums = new Map<string, number[]>();
  for (const start of history.starts.filter(isTaken)) add(sums, '', weeks, start.day, start.starts * scale);
  return sums.get('') ?? Array.from({ length: weeks.count }, () => 0);
}

/** The weekly growth of the runs that an event starts in the repository. '' means all events. */
export function growthOfEvent(event: string, history: History, weeks: Weeks): Growth {
  const sums = new Map<string, number[]>();
  const cells = history.runs.filter((cell) => event === '' || cell.event === event);
  for (const { day, runs } of cells) add(sums, '', weeks, day, runs);
  return growthOf(sums.get('') ?? [], weeks.knownFrom(firstDayOf(history)).from);
}

function firstDayOf({ firstDays, window }: History): string {
  return [...firstDays.values()].toSorted()[0] ?? addDays(window.end, 1 - window.days);
}

function total(weekly: readonly number[]): number {
  return weekly.reduce((sum, count) => sum + count, 0);
}

/** A job that was added while its workflow already ran is known from its first week on. */
export function firstWeekOf(
  cells: readonly JobCell[],
  { recorded, weeks }: { recorded: Recorded; weeks: Weeks },
): { from: number; scale: number } {
  const first = cells.map(({ day }) => day).toSorted()[0];
  if (first === undefined) return recorded;
  const week = Math.max(recorded.from, weeks.indexOf(first));
  const runsBefore = [...recorded.runs.values()].flatMap((weekly) => weekly.slice(recorded.from, week));
  if (total(runsBefore) < minRunsWithout) return recorded;
  const known = weeks.knownFrom(first);
  return known.from >= recorded.from ? known : recorded;
}

const minRunsWithout = 10;

export function jobsNamed(job: PlannedJob, recorded: Recorded): JobCell[] {
  return [...recorded.jobsByName].flatMap(([name, cells]) => (job.hasName(name) ? cells : []));
}

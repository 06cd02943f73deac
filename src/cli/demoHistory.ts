import { createHash } from 'node:crypto';
import type { RunReport } from '../ledger/runs/report.ts';
import { dayOf, daysOf, startOfDay, windowEnding, type Day } from '../platform/lib/days.ts';
import { repositories, type JobPlan, type Workflow } from './demoCompany.ts';
import { draftRun, randomOf, reportOf, type DraftRun, type Random } from './demoRun.ts';

export type DemoOptions = { days: number; runs: number; seed: number; now: Date };

/**
 * The CI history of an invented company: `runs` runs in the `days` days that end at `now`, oldest first, a report
 * each. The options and the UTC day of `now` decide every run, job, duration and cost; the time of day only moves
 * the latest runs up to the present, in the day's first hours some into yesterday. So recording it twice in a day
 * changes no total.
 */
export function* demoHistory(options: DemoOptions): Generator<RunReport> {
  const history = openHistory(options);
  let latest: PlannedRun[] = [];
  for (const [index, day] of history.days.entries()) {
    const plans = planDay(history, index, day);
    if (index < history.days.length - 2) for (const plan of plans) yield report(history, plan);
    else latest = latest.concat(plans);
  }
  // What was planned for these may reach beyond `now`.
  const settled = latest.map((plan) => settle(history, plan));
  for (const plan of settled.toSorted((a, b) => a.createdAt - b.createdAt)) yield report(history, plan);
}

type History = {
  seed: number;
  firstId: number;
  /** Times here are seconds since 1970. */
  now: number;
  days: Day[];
  /** The runs of the first n days together, for each n. */
  runsUntil: number[];
  runawayDays: Day[];
  random: Random;
};

type PlannedRun = {
  ordinal: number;
  repository: string;
  workflow: Workflow;
  stages: JobPlan[][];
  createdAt: number;
  /** Share of the run that has passed at `now`; null for a completed one. */
  passed: number | null;
};

function openHistory({ days: count, runs, seed, now }: DemoOptions): History {
  const today = dayOf(now);
  const days = daysOf(windowEnding(today, count));
  const hash = createHash('sha256')
    .update(JSON.stringify([seed, today, count, runs]))
    .digest();
  const random = randomOf(hash.readUInt32LE(10));
  return {
    seed: hash.readUInt32LE(0),
    // 14 digits, and 16 for the jobs: far from other histories, and still exact as a JavaScript number.
    firstId: (10_000_000 + (hash.readUIntLE(4, 6) % 80_000_000)) * 1_000_000,
    now: Math.floor(now.getTime() / 1_000),
    days,
    runsUntil: shareOut(
      runs,
      days.map((day, index) => busyness(day, index, count) * (0.85 + 0.3 * random())),
    ),
    runawayDays: runawayDays(days),
    random,
  };
}

const growthPerDay = 1.004;
const weekendShare = 0.2;

/** How much runs on a day: it grows, rests at weekends, and today is not over. */
function busyness(day: Day, index: number, days: number): number {
  const isToday = index === days - 1;
  return growthPerDay ** index * (isWeekend(day) ? weekendShare : 1) * (isToday ? 0.5 : 1);
}

/** Running totals that share `total` out by weight, without a rest. */
function shareOut(total: number, weights: number[]): number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  let reached = 0;
  const totals = weights.map((weight) => Math.round((total * (reached += weight)) / sum));
  return [...totals.slice(0, -1), total];
}

const wednesday = 3;

/** Tuesday to Thursday, some two weeks ago; none in a history too short to show what was usual. */
function runawayDays(days: Day[]): Day[] {
  if (days.length < 28) return [];
  const middle = days.findIndex(
    (day, index) => days.length - 1 - index <= 17 && startOfDay(day).getUTCDay() === wednesday,
  );
  return days.slice(middle - 1, middle + 2);
}

function isWeekend(day: Day): boolean {
  return [0, 6].includes(startOfDay(day).getUTCDay());
}

const secondsPerDay = 86_400;
/** Today's runs spread over what has passed of it, and this at least. */
const shortestTodaySeconds = 4 * 3_600;

/** Shares that have passed of the runs that today's last ones are in the middle of. */
const progressOfLive = [0.6, 0.7, 0, 0.5, 0.3, 0];

/** The day's runs in the order of their creation. */
function planDay(history: History, index: number, day: Day): PlannedRun[] {
  const { now, days, random, runsUntil } = history;
  const isRunaway = history.runawayDays.includes(day);
  const midnight = startOfDay(day).getTime() / 1_000;
  const isToday = index === days.length - 1;
  const first = runsUntil[index - 1] ?? 0;
  const count = runsUntil[index]! - first;
  const start = isToday ? Math.min(midnight, now - shortestTodaySeconds) : midnight;
  const length = isToday ? now - start : secondsPerDay;
  const liveRuns = isToday ? Math.min(progressOfLive.length, Math.floor(count / 5)) : 0;
  const drawn = drawDay(count, isRunaway, isToday ? random : () => drawTimeOfDay(random), random);
  return drawn.map(({ choice, moment }, place) => ({
    ordinal: first + place,
    repository: choice.repository,
    workflow: choice.workflow,
    stages: (isRunaway && choice.workflow.runawayStages) || choice.workflow.stages,
    createdAt: Math.floor(start + length * moment),
    passed: place < count - liveRuns ? null : progressOfLive.at(place - count)!,
  }));
}

/** What runs on a day, and when: as a share of the day, in order. */
function drawDay(count: number, isRunaway: boolean, drawMoment: () => number, random: Random) {
  const atNight = nightly
    .slice(0, Math.floor(count / 8))
    .map((choice, place) => ({ choice, moment: 0.06 + 0.012 * place }));
  const byDay = Array.from({ length: count - atNight.length }, () => ({
    choice: drawByWeight(isRunaway ? runawayChoices : usualChoices, random),
    moment: drawMoment(),
  }));
  return [...atNight, ...byDay].toSorted((a, b) => a.moment - b.moment);
}

type Choice = { repository: string; workflow: Workflow; weight: number };

const choices: Choice[] = repositories.flatMap(({ name, workflows }) =>
  workflows.map((workflow) => ({ repository: name, workflow, weight: workflow.weight })),
);
const nightly = choices.filter(({ workflow }) => workflow.on === 'nightly');
const daily = choices.filter(({ workflow }) => workflow.on !== 'nightly');
const usualChoices = cumulate(daily);
const runawayChoices = cumulate(
  daily.map((choice) => ({ ...choice, weight: choice.weight * (choice.workflow.runawayStages ? 1.5 : 1) })),
);

/** Runs by hour of the day, in UTC: offices in Europe, some in America. */
const hours = cumulate(
  [1, 1, 1, 1, 1, 2, 6, 14, 24, 29, 28, 24, 19, 25, 29, 28, 23, 16, 11, 8, 6, 4, 2, 1].map(
    (weight, hour) => ({ weight, hour }),
  ),
);

/** A moment of a day with working hours, from 0 up to 1. */
function drawTimeOfDay(random: Random): number {
  return (drawByWeight(hours, random).hour + random()) / 24;
}

type Cumulated<T> = { item: T; reached: number }[];

function cumulate<T extends { weight: number }>(items: T[]): Cumulated<T> {
  let reached = 0;
  return items.map((item) => ({ item, reached: (reached += item.weight) }));
}

function drawByWeight<T>(items: Cumulated<T>, random: Random): T {
  const drawn = random() * items.at(-1)!.reached;
  return items.find(({ reached }) => drawn < reached)!.item;
}

/** Moves a run back as far as it takes for nothing of it to lie in the future. */
function settle(history: History, plan: PlannedRun): PlannedRun {
  const { endedAfter } = draftOf(history, plan);
  if (plan.passed !== null)
    return { ...plan, createdAt: history.now - secondsPassed(plan.passed, endedAfter) };
  return { ...plan, createdAt: Math.min(plan.createdAt, history.now - endedAfter) };
}

/** Nothing is taken from the queue in less than three seconds. */
function secondsPassed(share: number, endedAfter: number): number {
  return Math.max(2, Math.floor(share * endedAfter));
}

function draftOf({ seed }: History, { ordinal, workflow, stages, passed }: PlannedRun): DraftRun {
  return draftRun(workflow, stages, passed !== null, randomOf(seed + Math.imul(ordinal, 0x9e3779b1)));
}

function report(history: History, plan: PlannedRun): RunReport {
  const { ordinal, repository, workflow, passed } = plan;
  const draft = draftOf(history, plan);
  const run = {
    id: history.firstId + ordinal,
    repository,
    workflow,
    createdAt: new Date(plan.createdAt * 1_000),
  };
  return reportOf(run, draft, passed === null ? draft.endedAfter : secondsPassed(passed, draft.endedAfter));
}

import { createHash } from 'node:crypto';
import type { RunReport } from '../ledger/runs/report.ts';
import { dayOf, daysOf, startOfDay, windowEnding, type Day } from '../platform/lib/days.ts';
import { randomOf, type Random } from '../platform/lib/random.ts';
import { repositories, type JobPlan, type Workflow } from './company.ts';
import { draftRun, reportOf, type DraftRun } from './runs.ts';

export type DemoOptions = { days: number; runs: number; seed: number; now: Date };

/** Oldest first. Recording it twice in a day changes no total: options and the day decide nearly everything. */
export function* demoHistory(options: DemoOptions): Generator<RunReport> {
  const history = openHistory(options);
  let latest: PlannedRun[] = [];
  for (const [index, day] of history.days.entries()) {
    const plans = planDay(history, index, day);
    if (index < history.days.length - 2) for (const plan of plans) yield report(history, plan);
    else latest = latest.concat(plans);
  }
  // Plans of the last days may reach beyond `now`.
  const settled = latest.map((plan) => settle(history, plan));
  for (const plan of settled.toSorted((a, b) => a.createdAt - b.createdAt)) yield report(history, plan);
}

type History = {
  seed: number;
  firstId: number;
  /** In seconds since 1970, like all times here. */
  now: number;
  days: Day[];
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
  /** The share of a run that is over at `now`; null if it is completed. */
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
    // 14 digits, and 16 for jobs: far from other histories, and exact as JavaScript numbers.
    firstId: (10_000_000 + (hash.readUIntLE(4, 6) % 80_000_000)) * 1_000_000,
    now: Math.floor(now.getTime() / 1_000),
    days,
    runsUntil: distribute(
      runs,
      days.map((day, index) => activity(day, index, count) * (0.85 + 0.3 * random())),
    ),
    runawayDays: runawayDays(days),
    random,
  };
}

const growthPerDay = 1.004;
const weekendFactor = 0.2;

function activity(day: Day, index: number, days: number): number {
  const isToday = index === days - 1;
  return growthPerDay ** index * (isWeekend(day) ? weekendFactor : 1) * (isToday ? 0.5 : 1);
}

function distribute(total: number, weights: number[]): number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  let reached = 0;
  const totals = weights.map((weight) => Math.round((total * (reached += weight)) / sum));
  return [...totals.slice(0, -1), total];
}

const wednesday = 3;

/** Tuesday to Thursday about two weeks ago; none if the history is too short for a baseline. */
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
const shortestTodaySeconds = 4 * 3_600;

const progressOfLive = [0.6, 0.7, 0, 0.5, 0.3, 0];

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

/** In UTC, for offices in Europe and some in America. */
const hours = cumulate(
  [1, 1, 1, 1, 1, 2, 6, 14, 24, 29, 28, 24, 19, 25, 29, 28, 23, 16, 11, 8, 6, 4, 2, 1].map(
    (weight, hour) => ({ weight, hour }),
  ),
);

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

/** Moves a run back until no part of it is in the future. */
function settle(history: History, plan: PlannedRun): PlannedRun {
  const { endedAfter } = draftOf(history, plan);
  if (plan.passed !== null)
    return { ...plan, createdAt: history.now - secondsPassed(plan.passed, endedAfter) };
  return { ...plan, createdAt: Math.min(plan.createdAt, history.now - endedAfter) };
}

/** A job waits at least three seconds in the queue. */
function secondsPassed(fraction: number, endedAfter: number): number {
  return Math.max(2, Math.floor(fraction * endedAfter));
}

function draftOf({ seed }: History, { ordinal, workflow, stages, passed }: PlannedRun): DraftRun {
  return draftRun(workflow, stages, passed !== null, randomOf(seed + Math.imul(ordinal, 0x9e3779b1)));
}

function report(history: History, plan: PlannedRun): RunReport {
  const { ordinal, repository, workflow, passed } = plan;
  const draft = draftOf(history, plan);
  const run = {
    id: history.firstId + ordinal,
    number: ordinal + 1,
    repository,
    workflow,
    createdAt: new Date(plan.createdAt * 1_000),
  };
  return reportOf(run, draft, passed === null ? draft.endedAfter : secondsPassed(passed, draft.endedAfter));
}

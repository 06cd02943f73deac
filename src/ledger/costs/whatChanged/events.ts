import type { Day } from '../../../platform/lib/days.ts';
import { compare, getOrCreate } from '../../../platform/lib/lists.ts';
import { magnitude, type Nanos } from '../../../platform/lib/money.ts';
import type { AnomalyRule } from '../anomaly.ts';
import type { Use } from '../changeParts.ts';
import { usesByGroup } from '../changeUses.ts';
import {
  amountsOf,
  createGroupIndex,
  createSums,
  passingRows,
  type DayRows,
  type RowTest,
} from '../columns/sumRows.ts';
import { calendarOf, changeOf, pastCalendarOf, type Calendar, type Windows } from './days.ts';
import { eventSince, findJobsEvent, type JobsEvent, type JobUses } from './jobs.ts';
import { originOf, type Origin } from './origin.ts';
import { findPriceEvents, type PriceEvent } from './prices.ts';

export type ChangeEvent = {
  costNanos: Nanos;
  usualNanos: Nanos;
} & (
  | ({ type: 'jobs'; workflowId: string; origin: Origin | null; absence: Absence | null } & JobsEvent)
  | ({ type: 'price' } & PriceEvent)
);

/** Of `returned` jobs: when they last ran, or the last day on which they certainly did not. */
type Absence = { since: Day; isKnown: boolean };

export function datesOf(event: ChangeEvent): { from: Day; to: Day } {
  return event.type === 'jobs' ? event.span : event;
}

type Asked = Windows & {
  tests: readonly RowTest[];
  rule: AnomalyRule;
};

const maxEvents = 3;
/** Workflows whose change is too small to explain a quarter of the whole need no look. */
const maxCandidates = 5;

/**
 * What happened on which days: jobs whose days stand out against comparable days before, and prices. Of a period that cost less, also
 * what stood out in the period before and has ended. The largest first, and none that explains less than a quarter of the
 * change. `days` has those of both windows, oldest first.
 */
export async function findChangeEvents(days: readonly DayRows[], asked: Asked): Promise<ChangeEvent[]> {
  const byWorkflow = await costsByWorkflow(days, asked.tests);
  const costs = new Map<Day, Nanos>();
  for (const own of byWorkflow.values())
    for (const [day, nanos] of own) costs.set(day, (costs.get(day) ?? 0n) + nanos);
  const calendar = calendarOf(asked, costs, asked.rule);
  const [first] = calendar.days;
  const change = changeOf(costs, asked, calendar);
  if (first === undefined || change === 0n) return [];
  const changes = [...byWorkflow].map(([id, own]) => ({
    id,
    change: calendar.direction * changeOf(own, asked, calendar),
  }));
  const candidates = changes
    .filter((each) => 4n * each.change >= magnitude(change))
    .toSorted((a, b) => compare(b.change, a.change) || compare(a.id, b.id))
    .slice(0, maxCandidates);
  const found: { event: ChangeEvent; size: Nanos }[] = [];
  const add = (event: ChangeEvent, { direction }: Calendar) =>
    found.push({ event, size: direction * (event.costNanos - event.usualNanos) });
  const calendars = calendar.direction > 0n ? [calendar] : [calendar, pastCalendarOf(asked, calendar)];
  for (const { id } of candidates) {
    const jobs = await jobsOf(days, id, asked.tests);
    for (const each of calendars) {
      const event = jobsEventOf(days, id, { ...asked, jobs, calendar: each });
      if (event) add(event, each);
    }
  }
  for (const event of await priceEventsOf(days, asked.tests, calendar)) add(event, calendar);
  return found
    .filter(({ size }) => size > 0n && 4n * size >= magnitude(change))
    .toSorted((a, b) => compare(b.size, a.size))
    .slice(0, maxEvents)
    .map(({ event }) => event);
}

async function costsByWorkflow(
  days: readonly DayRows[],
  tests: readonly RowTest[],
): Promise<Map<string, Map<Day, Nanos>>> {
  const costs = new Map<string, Map<Day, Nanos>>();
  const index = createGroupIndex(['workflowId']);
  for (const day of days) {
    const sums = createSums();
    sums.add(index.groupsOf(day, passingRows(day, tests)), amountsOf(day, 'costNanos'));
    for (const [group, nanos] of sums.values().entries()) {
      const [id] = index.valuesOf(group);
      if (nanos > 0n) getOrCreate(costs, id!, () => new Map<Day, Nanos>()).set(day.day, nanos);
    }
  }
  return costs;
}

type OfWorkflow = { asked: readonly JobUses[]; names: number };

async function jobsOf(
  days: readonly DayRows[],
  workflowId: string,
  tests: readonly RowTest[],
): Promise<OfWorkflow> {
  const ofWorkflow: RowTest = { dimension: 'workflowId', accepts: (id) => id === workflowId };
  const firstDays = new Map<string | null, Day>();
  for (const day of days) {
    const { values, codes } = day.column('job');
    const passing = passingRows(day, [ofWorkflow]);
    for (const code of new Set(codes.filter((_, row) => passing[row]))) {
      const name = values[code]!;
      if (!firstDays.has(name)) firstDays.set(name, day.day);
    }
  }
  const uses = await usesByDay(days, 'job', [...tests, ofWorkflow]);
  const asked = uses.map(({ value, days: own }) => ({
    name: value,
    days: own,
    since: firstDays.get(value)!,
  }));
  return { asked, names: firstDays.size };
}

type Within = Pick<Asked, 'tests'> & { jobs: OfWorkflow; calendar: Calendar };

function jobsEventOf(
  days: readonly DayRows[],
  workflowId: string,
  { tests, jobs: { asked: jobs, names }, calendar }: Within,
): ChangeEvent | null {
  const found = findJobsEvent(jobs, calendar);
  // A price is an event of all workflows.
  if (!found || found.kind === 'price') return null;
  const origin = originOf(days, found, { calendar, workflowId, tests });
  // Single jobs show its beginning better than the sums of days.
  const isLater = origin?.by === 'first' && origin.day > found.span.from;
  const event = isLater ? eventSince(found, origin.day, { jobs, calendar }) : found;
  const { costNanos, usualNanos } = event.figures;
  // A workflow is not new if jobs that nobody asked about ran before.
  const isWhole = event.isWhole && (event.kind !== 'new' || event.jobs.length === names);
  return { type: 'jobs', workflowId, costNanos, usualNanos, origin, absence: null, ...event, isWhole };
}

async function priceEventsOf(
  days: readonly DayRows[],
  tests: readonly RowTest[],
  calendar: Calendar,
): Promise<ChangeEvent[]> {
  const uses = await usesByDay(days, 'runner', tests);
  const events = findPriceEvents(
    uses.map(({ value, days: own }) => ({ runner: value, days: own })),
    calendar,
  );
  return events.map((event) => {
    const sum = (name: 'costNanos' | 'usualNanos') =>
      event.runners.reduce((all, each) => all + each[name], 0n);
    return { type: 'price', costNanos: sum('costNanos'), usualNanos: sum('usualNanos'), ...event };
  });
}

async function usesByDay(days: readonly DayRows[], dimension: 'job' | 'runner', tests: readonly RowTest[]) {
  const index = createGroupIndex([dimension]);
  const found = new Map<number, Map<Day, Use[]>>();
  for (const day of days) {
    for (const [group, uses] of await usesByGroup([day], index, tests))
      getOrCreate(found, group, () => new Map<Day, Use[]>()).set(day.day, uses);
  }
  return [...found].map(([group, own]) => ({ value: index.valuesOf(group)[0] ?? null, days: own }));
}

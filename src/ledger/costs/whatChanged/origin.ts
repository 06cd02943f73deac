import { addDays, type Day } from '../../../platform/lib/days.ts';
import { passingRows, type DayRows, type RowTest } from '../columns/sumRows.ts';
import type { Place } from '../listing.queries.ts';
import { placeOf } from '../listing.ts';
import { daysWithin, heaviestRun, type Calendar } from './days.ts';
import type { JobsEvent } from './jobs.ts';

/** Where an event came from: its first job, or what most of its jobs have in common. */
export type Origin = {
  /** `first`: the first of these jobs has it. `most`: most of the jobs have it, and few had it before. */
  by: 'first' | 'most';
  day: Day;
  pullRequest: number | null;
  branch: string | null;
  actor: string | null;
  /** The first job; null if only its figures are left. */
  job: Place | null;
};

export const originColumns = ['pullRequest', 'branch', 'actor', 'atMilliseconds'] as const;

type OriginName = (typeof originColumns)[number];

export function originOf(
  days: readonly DayRows[],
  event: JobsEvent,
  { calendar, workflowId, tests }: { calendar: Calendar; workflowId: string; tests: readonly RowTest[] },
): Origin | null {
  // Sums of jobs have no first one.
  if (days.some(({ count }) => count !== null)) return null;
  if (event.kind === 'removed' || event.kind === 'price' || calendar.direction < 0n) return null;
  const names = new Set(event.jobs.map(({ name }) => name));
  const ofEvent: RowTest[] = [
    ...tests,
    { dimension: 'workflowId', accepts: (id) => id === workflowId },
    { dimension: 'job', accepts: (name) => names.has(name) },
  ];
  const within = (asked: readonly Day[]) => days.filter(({ day }) => asked.includes(day));
  const during = daysWithin(event.span, calendar);
  if (event.kind === 'volume') return commonOrigin(within(during), within(calendar.before), ofEvent);
  if (event.kind === 'new') return firstRow(days, ofEvent);
  // The first of them can have run late on a day that did not stand out yet.
  const from = addDays(event.span.from, -1);
  if (event.kind === 'duration')
    return firstLonger(
      days.filter(({ day }) => day >= from && day <= event.span.to),
      ofEvent,
      event,
    );
  const { runner } = event;
  if (runner === undefined) return null;
  const first = firstRow(days, [...ofEvent, { dimension: 'runner', accepts: (kind) => kind === runner }]);
  return first !== null && first.day >= from ? first : null;
}

function firstRow(days: readonly DayRows[], tests: readonly RowTest[]): Origin | null {
  for (const day of days) {
    const row = passingRows(day, tests).indexOf(1);
    if (row >= 0) return originAt(day, row, 'first');
  }
  return null;
}

/** The first of the consecutive jobs that together exceed the middle between the cost of a job before and now by most. */
function firstLonger(
  days: readonly DayRows[],
  tests: readonly RowTest[],
  { jobs }: JobsEvent,
): Origin | null {
  const middles = new Map(
    jobs.map(({ name, ...of }) => {
      const [count, usual] = [2n * of.jobs * of.usualJobs, of.usualNanos * of.jobs];
      return [name, count === 0n ? null : (of.costNanos * of.usualJobs + usual) / count];
    }),
  );
  const rows: { day: DayRows; row: number; excess: bigint }[] = [];
  for (const day of days) {
    const [name, cost] = [day.column('job'), day.column('costNanos')];
    for (const [row, isOfEvent] of passingRows(day, tests).entries()) {
      const middle = middles.get(name.values[name.codes[row]!]!);
      if (!isOfEvent || middle === null || middle === undefined) continue;
      rows.push({ day, row, excess: BigInt(cost.values[cost.codes[row]!]!) - middle });
    }
  }
  const found = heaviestRun(rows.map(({ excess }) => excess));
  if (!found) return null;
  const { day, row } = rows[found.first]!;
  return originAt(day, row, 'first');
}

/** The pull request, branch or actor of at least half of the jobs, if it had at most a quarter of them before. */
function commonOrigin(
  days: readonly DayRows[],
  before: readonly DayRows[],
  tests: readonly RowTest[],
): Origin | null {
  for (const name of ['pullRequest', 'branch', 'actor'] as const) {
    const [now, formerly] = [days, before].map((asked) => countValues(asked, name, tests));
    const [value, count] = [...now!.counts].toSorted(([, a], [, b]) => b - a)[0] ?? [null, 0];
    const former = formerly!.counts.get(value) ?? 0;
    if (value === null || 2 * count < now!.all || 4 * former > formerly!.all) continue;
    const first = firstRow(days, [...tests, { dimension: name, accepts: (each) => each === value }])!;
    const known = { pullRequest: null, branch: null, actor: null };
    return { ...first, ...known, by: 'most', [name]: name === 'pullRequest' ? Number(value) : value };
  }
  return null;
}

function countValues(days: readonly DayRows[], name: OriginName, tests: readonly RowTest[]) {
  const counts = new Map<string | null, number>();
  let all = 0;
  for (const day of days) {
    const { values, codes } = day.column(name);
    for (const [row, passes] of passingRows(day, tests).entries()) {
      if (!passes) continue;
      all++;
      const value = values[codes[row]!]!;
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  return { counts, all };
}

function originAt(day: DayRows, row: number, by: Origin['by']): Origin {
  const valueOf = (name: OriginName) => {
    const { values, codes } = day.column(name);
    return values[codes[row]!] ?? null;
  };
  const pullRequest = valueOf('pullRequest');
  return {
    by,
    day: day.day,
    pullRequest: pullRequest === null ? null : Number(pullRequest),
    branch: valueOf('branch'),
    actor: valueOf('actor'),
    job: placeOfStored(day, row),
  };
}

/** Counts stored rows only, because those of removed runs are no longer listed. */
function placeOfStored(day: DayRows, row: number): Place | null {
  const { isRemoved } = day;
  if (isRemoved?.[row]) return null;
  const { at, place } = placeOf(day, row);
  const sameInstant = isRemoved?.subarray(row - place, row) ?? [];
  return { at, place: place - sameInstant.filter((removed) => removed === 1).length };
}

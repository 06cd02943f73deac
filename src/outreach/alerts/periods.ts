import { createHash } from 'node:crypto';
import {
  addDays,
  dayOf,
  startOfDay,
  startOfWeek,
  windowBetween,
  type Day,
  type Window,
} from '../../platform/lib/days.ts';
import { tolerated } from '../../platform/lib/time.ts';

export type Period = 'day' | 'week' | 'month';
export type Frequency = 'daily' | 'weekly' | 'monthly';

const maxSpreadMilliseconds = 300_000;
const periodOf = { daily: 'day', weekly: 'week', monthly: 'month' } as const;

/** The UTC day, ISO week (from Monday) or month that contains `instant`. */
export function budgetPeriod(instant: Date, period: Period): Window {
  const start = startOfPeriod(dayOf(instant), period);
  return windowBetween(start, addDays(startOfNext(start, period), -1));
}

/** The latest UTC boundary at or before `now`: a midnight, a Monday or a 1st. */
export function previousTick(now: Date, frequency: Frequency): Date {
  return startOfDay(startOfPeriod(dayOf(now), periodOf[frequency]));
}

export function nextTick(now: Date, frequency: Frequency): Date {
  const period = periodOf[frequency];
  return startOfDay(startOfNext(startOfPeriod(dayOf(now), period), period));
}

/** Before the start of any period that a check at `earliest` or later looks at. */
export function startOfRecent(earliest: Date): Date {
  return startOfDay(addDays(dayOf(earliest), -32));
}

export function dueAfter(now: Date, frequency: Frequency, spreadBy: string): Date {
  return new Date(nextTick(now, frequency).getTime() + spreadMilliseconds(spreadBy));
}

/** The latest times that a correct clock can have set for the next check. */
export function latestChecks(now: Date): Record<Frequency, Date> {
  const latest = (frequency: Frequency) =>
    new Date(nextTick(tolerated(now), frequency).getTime() + maxSpreadMilliseconds);
  return { daily: latest('daily'), weekly: latest('weekly'), monthly: latest('monthly') };
}

/**
 * A delay after a tick that is fixed per id and below five minutes, so that not all alerts are checked at
 * once.
 */
export function spreadMilliseconds(id: string): number {
  return createHash('sha256').update(id).digest().readUInt32BE() % maxSpreadMilliseconds;
}

function startOfPeriod(day: Day, period: Period): Day {
  if (period === 'day') return day;
  if (period === 'month') return firstOfMonth(day);
  return startOfWeek(day);
}

function startOfNext(start: Day, period: Period): Day {
  if (period === 'day') return addDays(start, 1);
  if (period === 'week') return addDays(start, 7);
  return firstOfMonth(addDays(start, 31)); // months have 28 to 31 days
}

function firstOfMonth(day: Day): Day {
  return `${day.slice(0, 8)}01`;
}

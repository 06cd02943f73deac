import { createHash } from 'node:crypto';
import { addDays, dayOf, startOfDay, windowBetween, type Day, type Window } from '../../platform/lib/days.ts';

export type Period = 'day' | 'week' | 'month';
export type Frequency = 'daily' | 'weekly' | 'monthly';

const spreadOver = 300_000;
const periodOf = { daily: 'day', weekly: 'week', monthly: 'month' } as const;

/** The UTC calendar day, ISO week (from Monday) or month that contains `instant`, all of its days. */
export function budgetPeriod(instant: Date, period: Period): Window {
  const start = startOfPeriod(dayOf(instant), period);
  return windowBetween(start, addDays(startOfNext(start, period), -1));
}

/** The period that ended when this one began. */
export function previousPeriod({ start }: Window, period: Period): Window {
  return budgetPeriod(startOfDay(addDays(start, -1)), period);
}

/** The latest boundary that is not after `now`: a midnight, that of a Monday, or that of a 1st, in UTC. */
export function previousTick(now: Date, frequency: Frequency): Date {
  return startOfDay(startOfPeriod(dayOf(now), periodOf[frequency]));
}

/** The first boundary after `now`; where `now` is one, the one that follows. */
export function nextTick(now: Date, frequency: Frequency): Date {
  const period = periodOf[frequency];
  return startOfDay(startOfNext(startOfPeriod(dayOf(now), period), period));
}

/** Before any period began that a check as of `earliest` or later judges: none is longer than a month. */
export function startOfRecent(earliest: Date): Date {
  return startOfDay(addDays(dayOf(earliest), -32));
}

/** When an alert is checked next: soon after the boundary of its frequency, not all of them at once. */
export function dueAfter(now: Date, frequency: Frequency, alertId: string): Date {
  return new Date(nextTick(now, frequency).getTime() + spreadMilliseconds(alertId));
}

/** How long after a tick the alert is checked, below five minutes and always the same, so that not all are at once. */
export function spreadMilliseconds(alertId: string): number {
  return createHash('sha256').update(alertId).digest().readUInt32BE() % spreadOver;
}

function startOfPeriod(day: Day, period: Period): Day {
  if (period === 'day') return day;
  if (period === 'month') return firstOfMonth(day);
  const daysSinceMonday = (startOfDay(day).getUTCDay() + 6) % 7;
  return addDays(day, -daysSinceMonday);
}

function startOfNext(start: Day, period: Period): Day {
  if (period === 'day') return addDays(start, 1);
  if (period === 'week') return addDays(start, 7);
  return firstOfMonth(addDays(start, 31)); // no month is longer, and the next one is no shorter than 28
}

function firstOfMonth(day: Day): Day {
  return `${day.slice(0, 8)}01`;
}

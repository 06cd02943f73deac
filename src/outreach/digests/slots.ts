import { Temporal } from 'temporal-polyfill';
import {
  addDays,
  previousOf,
  startOfDay,
  startUpTo,
  windowBetween,
  type Day,
  type Window,
} from '../../platform/lib/days.ts';
import { tolerated } from '../../platform/lib/time.ts';
import type { Calendar } from '../../tenancy/organizations/organizations.ts';
import type { Frequency } from './tables.ts';

export const periodOf = { weekly: 'week', monthly: 'month' } as const;

export { frequencies, type Frequency } from './tables.ts';

type Zone = Pick<Calendar, 'timeZone' | 'weekStart'>;

/** When a digest is sent, and for which days. These days are over everywhere, because costs use UTC days. */
export type Slot = { at: Date; period: Window; previous: Window };

const hour = '08:00';
/** East of UTC, a UTC day ends after 08:00. Late reports get an hour. */
const settleMilliseconds = 3_600_000;
/** Longer than any month. A later time comes from a clock that was ahead. */
const maxAheadDays = 40;

/** The latest slot at or before `now`. */
export function latestSlot(now: Date, frequency: Frequency, zone: Zone): Slot {
  const today = localDay(now, zone);
  // If the UTC day ends after 08:00, today's slot may be in the future.
  const slot = slotOn(startUpTo(today, frequency, zone.weekStart), frequency, zone);
  return slot.at <= now ? slot : slotOn(slot.period.start, frequency, zone);
}

export function nextSlot(now: Date, frequency: Frequency, zone: Zone): Slot {
  const latest = latestSlot(now, frequency, zone);
  const boundary = addDays(latest.period.end, 1);
  return slotOn(boundaryAfter(boundary, frequency, zone), frequency, zone);
}

type Sent = { activeSince: Date; sentUntil: Day | null };

/** Whether the digest has not covered this period yet. */
export function isDue(slot: Slot, { activeSince, sentUntil }: Sent, now: Date): boolean {
  if (slot.at <= activeSince) return false;
  const isAhead = sentUntil !== null && startOfDay(sentUntil) > tolerated(now);
  return sentUntil === null || isAhead || sentUntil < slot.period.end;
}

export function latestNext(now: Date): Date {
  return new Date(now.getTime() + maxAheadDays * 86_400_000);
}

export function calendarText({ timeZone, weekStart }: Zone): string {
  return `${timeZone} ${weekStart}`;
}

function slotOn(boundary: Day, frequency: Frequency, zone: Zone): Slot {
  const local = Temporal.PlainDate.from(boundary).toZonedDateTime({
    timeZone: zone.timeZone,
    plainTime: hour,
  });
  const settled = startOfDay(boundary).getTime() + settleMilliseconds;
  const start = startUpTo(addDays(boundary, -1), frequency, zone.weekStart);
  const period = windowBetween(start, addDays(boundary, -1));
  return {
    at: new Date(Math.max(local.epochMilliseconds, settled)),
    period,
    previous: previousOf(period, periodOf[frequency]),
  };
}

function localDay(now: Date, { timeZone }: Zone): Day {
  return Temporal.Instant.fromEpochMilliseconds(now.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDate()
    .toString();
}

function boundaryAfter(boundary: Day, frequency: Frequency, zone: Zone): Day {
  return startUpTo(addDays(boundary, frequency === 'weekly' ? 7 : 31), frequency, zone.weekStart);
}

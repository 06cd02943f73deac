/** A UTC calendar day as `YYYY-MM-DD`, which sorts and compares as text. */
export type Day = string;

const millisecondsPerDay = 86_400_000;

export function dayOf(instant: Date): Day {
  return instant.toISOString().slice(0, 10);
}

export function isDay(text: string): boolean {
  if (!/^[12]\d{3}-\d\d-\d\d$/.test(text) || Number.isNaN(Date.parse(text))) return false;
  return dayOf(startOfDay(text)) === text;
}

export function addDays(day: Day, count: number): Day {
  return dayOf(new Date(startOfDay(day).getTime() + count * millisecondsPerDay));
}

export function startOfDay(day: Day): Date {
  return new Date(`${day}T00:00:00.000Z`);
}

const inFull = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });

/** `Nov 21, 2026` */
export function longDay(day: Day): string {
  return inFull.format(startOfDay(day));
}

const withoutYear = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** `Nov 21` */
export function shortDay(day: Day): string {
  return withoutYear.format(startOfDay(day));
}

const monthNames = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' });

/** `November 2026`, of `2026-11` */
export function monthInWords(month: string): string {
  return monthNames.format(startOfDay(`${month}-01`));
}

/** `Nov 21, 2026, 14:05 UTC` */
export function longTime(instant: Date): string {
  return `${longDay(dayOf(instant))}, ${instant.toISOString().slice(11, 16)} UTC`;
}

export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

export function weekdayOf(day: Day): string {
  return weekdays[(startOfDay(day).getUTCDay() + 6) % 7]!;
}

export function startOfWeek(day: Day, weekStart = 'monday'): Day {
  return weekdayOf(day) === weekStart ? day : startOfWeek(addDays(day, -1), weekStart);
}

/** The first day of the week or month that contains this day; if daily, the day itself. */
export function startUpTo(day: Day, frequency: 'daily' | 'weekly' | 'monthly', weekStart: string): Day {
  if (frequency === 'weekly') return startOfWeek(day, weekStart);
  return frequency === 'monthly' ? `${day.slice(0, 8)}01` : day;
}

/** Consecutive days from `start` to `end`, both included. */
export type Window = { start: Day; end: Day; days: number };

export function windowEnding(end: Day, days: number): Window {
  return { start: addDays(end, 1 - days), end, days };
}

/** What a window counts in: any days, or days from the start of a week or month on. */
export type Unit = 'day' | 'week' | 'month';

/** The first day of a month or week is that month or week to date, so that its words mean the same on every day. */
export function unitOf({ start, end, days }: Window, weekStart = 'monday'): Unit {
  if (isFirstOfMonth(start) && (isLastOfMonth(end) || end.slice(0, 7) === start.slice(0, 7))) return 'month';
  return weekdayOf(start) === weekStart && days < 7 ? 'week' : 'day';
}

/** Whole months compare with months, days of a week or month with those of the last one, others with as many. */
export function previousOf(window: Window, unit: Unit): Window {
  const { start, end } = window;
  if (unit === 'week') return windowBetween(addDays(start, -7), addDays(end, -7));
  if (unit === 'day') return windowEnding(addDays(start, -1), window.days);
  const isWhole = isLastOfMonth(end);
  const months = isWhole && isFirstOfMonth(start) ? monthsFrom(start, end) : 1;
  return windowBetween(
    addMonths(start, -months),
    isWhole ? endOfMonth(addMonths(end, -months)) : addMonths(end, -1),
  );
}

function isFirstOfMonth(day: Day): boolean {
  return day.endsWith('-01');
}

export function isLastOfMonth(day: Day): boolean {
  return isFirstOfMonth(addDays(day, 1));
}

function endOfMonth(day: Day): Day {
  const inNext = addDays(`${day.slice(0, 7)}-01`, 31);
  return addDays(`${inNext.slice(0, 7)}-01`, -1);
}

export function monthAround(day: Day): Window {
  return windowBetween(`${day.slice(0, 7)}-01`, endOfMonth(day));
}

/** How many months the two days touch. */
export function monthsFrom(start: Day, end: Day): number {
  const monthAt = (day: Day) => 12 * Number(day.slice(0, 4)) + Number(day.slice(5, 7));
  return 1 + monthAt(end) - monthAt(start);
}

/** The same day of another month, or the last one of a shorter month. */
export function addMonths(day: Day, count: number): Day {
  const first = startOfDay(`${day.slice(0, 7)}-01`);
  const month = dayOf(new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + count, 1)));
  const [same, last] = [`${month.slice(0, 8)}${day.slice(8)}`, endOfMonth(month)];
  return same < last ? same : last;
}

export function daysOf(window: Window): Day[] {
  return Array.from({ length: window.days }, (_, index) => addDays(window.start, index));
}

export function windowBetween(start: Day, end: Day): Window {
  const days = 1 + (startOfDay(end).getTime() - startOfDay(start).getTime()) / millisecondsPerDay;
  return { start, end, days };
}

/** From the first day of all windows to the last. */
export function covering(windows: readonly Pick<Window, 'start' | 'end'>[]): Pick<Window, 'start' | 'end'> {
  return {
    start: windows.map(({ start }) => start).toSorted()[0]!,
    end: windows
      .map(({ end }) => end)
      .toSorted()
      .at(-1)!,
  };
}

/** The time from `from` up to, but not including, `until`. */
export type TimeSlice = { from: Date; until: Date };

export function sliceOfDays(first: Day, last: Day): TimeSlice {
  return { from: startOfDay(first), until: startOfDay(addDays(last, 1)) };
}

/** Joins neighboring days while they have at most `maxJobs` jobs, and splits a day with more. */
export function slicesOf(days: readonly { day: Day; jobs: number }[], maxJobs: number): TimeSlice[] {
  const slices: TimeSlice[] = [];
  let open: { first: Day; last: Day; jobs: number } | null = null;
  const close = (): void => {
    if (open) slices.push(sliceOfDays(open.first, open.last));
    open = null;
  };
  for (const { day, jobs } of days) {
    if (jobs > maxJobs) {
      close();
      slices.push(...partsOf(day, Math.ceil(jobs / maxJobs)));
    } else if (open && open.jobs + jobs <= maxJobs) {
      open = { first: open.first, last: day, jobs: open.jobs + jobs };
    } else {
      close();
      open = { first: day, last: day, jobs };
    }
  }
  close();
  return slices;
}

const maxParts = 24 * 60;

function partsOf(day: Day, wanted: number): TimeSlice[] {
  const parts = Math.min(wanted, maxParts);
  const { from, until } = sliceOfDays(day, day);
  const start = from.getTime();
  const length = until.getTime() - start;
  const cut = (index: number) => new Date(start + Math.round((length * index) / parts));
  return Array.from({ length: parts }, (_, index) => ({ from: cut(index), until: cut(index + 1) }));
}

/** Alerts, forecasts and re-runs read this many days of jobs. */
export const minRetentionDays = 90;

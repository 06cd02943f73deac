/** A UTC calendar day as `YYYY-MM-DD`, which sorts and compares as text. */
export type Day = string;

const millisecondsPerDay = 86_400_000;

export function dayOf(instant: Date): Day {
  return instant.toISOString().slice(0, 10);
}

/** A negative `count` goes back. */
export function addDays(day: Day, count: number): Day {
  return dayOf(new Date(startOfDay(day).getTime() + count * millisecondsPerDay));
}

export function startOfDay(day: Day): Date {
  return new Date(`${day}T00:00:00.000Z`);
}

/** Consecutive days, `start` and `end` included. */
export type Window = { start: Day; end: Day; days: number };

/** The `days` days up to and including `end`. */
export function windowEnding(end: Day, days: number): Window {
  return { start: addDays(end, 1 - days), end, days };
}

/** The window of the same length right before `window`. */
export function previousWindow(window: Window): Window {
  return windowEnding(addDays(window.start, -1), window.days);
}

export function daysOf(window: Window): Day[] {
  return Array.from({ length: window.days }, (_, index) => addDays(window.start, index));
}

export function windowBetween(start: Day, end: Day): Window {
  const days = 1 + (startOfDay(end).getTime() - startOfDay(start).getTime()) / millisecondsPerDay;
  return { start, end, days };
}

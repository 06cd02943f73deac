/** Calendar days are UTC and written `YYYY-MM-DD`: they sort, compare and store as they are. */
export type Day = string;

const millisecondsPerDay = 86_400_000;

/** The UTC calendar day that contains `instant`. */
export function dayOf(instant: Date): Day {
  return instant.toISOString().slice(0, 10);
}

/** `day` moved by `count` calendar days; negative goes back. */
export function addDays(day: Day, count: number): Day {
  return dayOf(new Date(startOfDay(day).getTime() + count * millisecondsPerDay));
}

/** Midnight UTC at which `day` begins. */
export function startOfDay(day: Day): Date {
  return new Date(`${day}T00:00:00.000Z`);
}

/** A closed range of calendar days. */
export type Window = { start: Day; end: Day; days: number };

/** Today and the `days - 1` days before it. */
export function windowEnding(end: Day, days: number): Window {
  return { start: addDays(end, 1 - days), end, days };
}

/** The window of the same length that ends the day before `window` starts. */
export function previousWindow(window: Window): Window {
  return windowEnding(addDays(window.start, -1), window.days);
}

/** Every day of the window, oldest first. */
export function daysOf(window: Window): Day[] {
  return Array.from({ length: window.days }, (_, index) => addDays(window.start, index));
}

/** The window from one day to another, both included. */
export function windowBetween(start: Day, end: Day): Window {
  const days = 1 + (startOfDay(end).getTime() - startOfDay(start).getTime()) / millisecondsPerDay;
  return { start, end, days };
}

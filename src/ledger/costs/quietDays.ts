import { addDays, daysOf, type Day, type Window } from '../../platform/lib/days.ts';

/** Weeks before a day that tell whether its weekday usually has runs, and how few of them can. */
const weeksBack = 8;
const fewestWeeks = 3;

/** Days before a window that `quietDays` looks at. */
export const quietHistoryDays = weeksBack * 7;

/**
 * The whole days of the window, which ends today, without any run, though at least three of four of the same weekdays in
 * the 8 weeks before had some: either nobody worked, or nothing was reported. Days before the first known one say nothing,
 * and a weekday is judged by 3 of them at least.
 */
export function quietDays(window: Window, daysWithRuns: ReadonlySet<Day>, firstDay: Day | null): Day[] {
  return daysOf(window).filter((day) => {
    if (firstDay === null || day === window.end || day < firstDay || daysWithRuns.has(day)) return false;
    const before = Array.from({ length: weeksBack }, (_, week) => addDays(day, -7 * (week + 1))).filter(
      (same) => same >= firstDay,
    );
    const busy = before.filter((same) => daysWithRuns.has(same)).length;
    return before.length >= fewestWeeks && busy * 4 >= before.length * 3;
  });
}

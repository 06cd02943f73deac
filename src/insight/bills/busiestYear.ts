import { windowEnding, type Day } from '../../platform/lib/days.ts';

type Year = { start: Day; end: Day };

/** GitHub's reports are of a year at most. */
const longestReportDays = 366;

/** The days of one report: of all years that could be meant, the one with most lines, and of such the latest. */
export function busiestYear(lines: ReadonlyMap<Day, number>): Year | null {
  const days = [...lines].toSorted(([a], [b]) => (a < b ? -1 : 1));
  let best: Year | null = null;
  let [first, inYear, most] = [0, 0, 0];
  for (const [end, count] of days) {
    const { start } = windowEnding(end, longestReportDays);
    inYear += count;
    for (; days[first]![0] < start; first++) inYear -= days[first]![1];
    if (inYear < most) continue;
    best = { start: days[first]![0], end };
    most = inYear;
  }
  return best;
}

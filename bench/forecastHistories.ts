import { addDays, startOfDay, weekdayOf, type Day } from '../src/platform/lib/days.ts';
import type { Nanos } from '../src/platform/lib/money.ts';

/** The cost of each day, until noon and in total. */
export type KnownCosts = { whole: Map<Day, Nanos>; byNoon: Map<Day, Nanos> };

type Level = (day: Day, daysToMonthEnd: number) => number;

const firstDay = '2025-09-01';
const lastDay = '2026-11-30';
const weekendShare = 0.3;
const noise = 0.15;

/** Kinds of history that differ from the demo in one way each. The factors are of a usual day's cost. */
export const syntheticLevels = {
  steady: () => 1,
  'month ends at 2.5 times': (_day, daysToMonthEnd) => (daysToMonthEnd < 3 ? 2.5 : 1),
  'doubles in one step': (day) => (day < '2026-06-10' ? 1 : 2),
  holidays: (day) => (isHoliday(day) ? 0.15 : 1),
} satisfies Record<string, Level>;

/** Two weeks at the turn of the year, a week at Easter, two in August, and a few single days. */
function isHoliday(day: Day): boolean {
  return holidays.some(([first, last]) => first <= day && day <= last);
}

const holidays = [
  ['2025-12-22', '2026-01-02'],
  ['2026-04-03', '2026-04-08'],
  ['2026-05-01', '2026-05-01'],
  ['2026-05-25', '2026-05-25'],
  ['2026-08-10', '2026-08-21'],
  ['2026-10-12', '2026-10-12'],
] as const;

export function syntheticCosts(level: Level, seed: number): KnownCosts {
  const random = randomFrom(seed);
  const costs: KnownCosts = { whole: new Map(), byNoon: new Map() };
  for (let day = firstDay; day <= lastDay; day = addDays(day, 1)) {
    const week = ['saturday', 'sunday'].includes(weekdayOf(day)) ? weekendShare : 1;
    const dollars = 100 * week * level(day, distanceToMonthEnd(day)) * Math.exp(noise * normal(random));
    const nanos = BigInt(Math.round(dollars * 1e9));
    costs.whole.set(day, nanos);
    costs.byNoon.set(day, nanos / 2n);
  }
  return costs;
}

function distanceToMonthEnd(day: Day): number {
  const start = startOfDay(day);
  return (
    new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 0)).getUTCDate() - start.getUTCDate()
  );
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function randomFrom(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
}

import { daysCompared, overviewDays } from './days.ts';
import type { Projection, Trends } from './queries.ts';

/** A day of the cost chart, in US dollars. What is not known of a day is null. */
export type CostDay = {
  date: string;
  cost: number | null;
  /** Of the same weekday, `daysCompared` days before. */
  before: number | null;
  projected: number | null;
  /** Between which the day's cost is expected. */
  band: [low: number, high: number] | null;
};

/** The days up to today, each with the one before it, and what is expected of the rest of the month. */
export function costDays(trends: Trends['data'], projection: Projection | undefined): CostDay[] {
  const current = trends.slice(-overviewDays);
  const first = trends.length - current.length;
  const expected = new Map(projection?.daily.map((day) => [day.date, day]));
  const today = current.at(-1)?.date ?? '';
  const past = current.map(({ date, cost }, index) => ({
    date,
    cost,
    // A plan with a shorter history shows fewer days before these.
    before: trends[first + index - daysCompared]?.cost ?? null,
    ...expectedOf(date === today ? expected.get(date) : undefined),
  }));
  const coming = (projection?.daily ?? []).filter(({ date }) => date > today);
  return [
    ...past,
    ...coming.map((day) => ({ date: day.date, cost: null, before: null, ...expectedOf(day) })),
  ];
}

function expectedOf(day: Projection['daily'][number] | undefined): Pick<CostDay, 'projected' | 'band'> {
  const { projected = null, low = null, high = null } = day ?? {};
  return { projected, band: low !== null && high !== null ? [low, high] : null };
}

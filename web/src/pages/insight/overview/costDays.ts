import { daysCompared, overviewDays } from './days.ts';
import type { Forecast, Trends } from './queries.ts';

export type CostDay = {
  date: string;
  cost: number | null;
  /** Cost of the same weekday, `daysCompared` days earlier. */
  before: number | null;
  projected: number | null;
  band: [low: number, high: number] | null;
};

export function costDays(trends: Trends['data'], forecast: Forecast | undefined): CostDay[] {
  const current = trends.slice(-overviewDays);
  const first = trends.length - current.length;
  const forecastByDay = new Map(forecast?.daily.map((day) => [day.date, day]));
  const today = current.at(-1)?.date ?? '';
  const past = current.map(({ date, cost }, index) => ({
    date,
    cost,
    before: trends[first + index - daysCompared]?.cost ?? null,
    ...forecastOf(date === today ? forecastByDay.get(date) : undefined),
  }));
  const coming = (forecast?.daily ?? []).filter(({ date }) => date > today);
  return [
    ...past,
    ...coming.map((day) => ({ date: day.date, cost: null, before: null, ...forecastOf(day) })),
  ];
}

function forecastOf(day: Forecast['daily'][number] | undefined): Pick<CostDay, 'projected' | 'band'> {
  const { projected = null, low = null, high = null } = day ?? {};
  return { projected, band: low !== null && high !== null ? [low, high] : null };
}

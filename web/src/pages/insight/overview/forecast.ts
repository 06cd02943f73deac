import { forecastDollars } from '../../../ui/figures.ts';
import type { Forecast } from './queries.ts';

export function partsOf({ projected, spent, usual_pace, daily, days_elapsed, days_in_month }: Forecast) {
  const today = daily[days_elapsed - 1];
  const restOfToday = Math.max(0, (today?.projected ?? 0) - (today?.cost ?? 0));
  return {
    restOfToday,
    daysToCome: days_in_month - days_elapsed,
    ofDaysToCome: Math.max(0, projected - spent - restOfToday),
    correction: projected - usual_pace,
  };
}

export function headlineOf({ confidence, rounded }: Forecast): string {
  return confidence === 'none' ? '–' : forecastDollars(rounded);
}

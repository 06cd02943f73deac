import { roundedDollars, shortDay } from '../../../ui/figures.ts';
import type { Budget } from './queries.ts';

/** What the period is expected to use of its budget; 1 is all of it. */
export function shareOf({ alert, forecast }: BudgetParts): number {
  return forecast.projected / alert.threshold_amount;
}

type BudgetParts = {
  alert: Pick<Budget['alert'], 'threshold_amount'>;
  forecast: Pick<Budget['forecast'], 'spent' | 'projected' | 'over_on'> & { period: { end: string } };
};

/** `92%, over on Nov 25`, and whether that is so already or to come. */
export function budgetStatus(budget: BudgetParts): { text: string; isOver: boolean } {
  const { alert, forecast } = budget;
  const { spent, projected, over_on: overOn, period } = forecast;
  const percent = (amount: number) => `${Math.floor((100 * amount) / alert.threshold_amount)}%`;
  const end = `about ${roundedDollars(Math.round(projected))} (${percent(projected)}) by ${shortDay(period.end)}`;
  if (spent > alert.threshold_amount)
    return {
      text: `${percent(spent)}, over since ${shortDay(overOn ?? period.end)}; ${end}`,
      isOver: true,
    };
  if (overOn !== null)
    return { text: `${percent(spent)}, over on ${shortDay(overOn)}; ${end}`, isOver: true };
  return { text: `${percent(spent)} so far, ${end}`, isOver: false };
}

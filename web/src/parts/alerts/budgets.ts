import { shortDay } from '../../ui/figures.ts';
import { alertType, money, type Unit } from './alertTypes.ts';
import type { ListedAlert, Measurement } from './types.ts';

type Forecast = Pick<NonNullable<Measurement['forecast']>, 'spent' | 'projected' | 'rounded' | 'over_on'> & {
  period: { end: string };
};

const wholes = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const tenths = (mode: 'floor' | 'ceil' | 'halfExpand') =>
  new Intl.NumberFormat('en-US', { maximumFractionDigits: 1, roundingMode: mode });

/** For example `92%`, `1,234%` or `4.5%`. Shows 100% only if the amount equals the limit. */
export function percentOf(amount: number, limit: number): string {
  const percent = (100 * amount) / limit;
  const isNearLimit = Math.abs(percent - 100) <= 0.5 && amount !== limit;
  if (isNearLimit) return `${tenths(amount < limit ? 'floor' : 'ceil').format(percent)}%`;
  return `${(percent < 10 ? tenths('halfExpand') : wholes).format(percent)}%`;
}

/** `over on Nov 25` if the budget is heading over, else the forecast for the end of the period. */
export function headingOf(
  limit: number,
  { spent, projected, rounded, over_on: overOn, period }: Forecast,
  unit: Unit = money,
): string {
  const end = shortDay(period.end);
  if (spent > limit) return `over since ${shortDay(overOn ?? period.end)}`;
  if (overOn !== null) return `over on ${shortDay(overOn)}`;
  // The rounded forecast must be on the same side of the limit as its percentage.
  const isFair = Math.sign(rounded - limit) === Math.sign(projected - limit);
  const amount = isFair ? unit.forecast(rounded) : unit.rough(projected);
  const share = unit.isPercent ? '' : ` (${percentOf(projected, limit)})`;
  return `about ${amount}${share} by ${end}`;
}

/**
 * For example `92%, over on Nov 25; about $1,300 (130%) by Nov 30`. `isOver` also covers budgets that only will be
 * over.
 */
export function budgetStatus(
  limit: number,
  forecast: Forecast,
  unit: Unit = money,
): { text: string; isOver: boolean } {
  const used = unit.isPercent ? unit.value(forecast.spent) : percentOf(forecast.spent, limit);
  const heading = headingOf(limit, forecast, unit);
  if (forecast.spent <= limit && forecast.over_on === null)
    return { text: `${used} so far, ${heading}`, isOver: false };
  return { text: `${used}, ${heading}; ${endOf(limit, forecast, unit)}`, isOver: true };
}

/** For example `about $1,300 (130%) by Nov 30`, also for a budget that is over already. */
export function endOf(limit: number, forecast: Forecast, unit: Unit = money): string {
  return headingOf(limit, { ...forecast, spent: 0, over_on: null }, unit);
}

export const standings = ['over', 'close', 'silent', 'fine', 'unknown', 'off'] as const;
export type Standing = (typeof standings)[number];

/** Share of the threshold from which an alert counts as close. */
const close = 0.9;

type Judged = Pick<Measurement, 'current_value' | 'threshold_value' | 'insufficient_data'> & {
  forecast: Forecast | null;
};

export function standingOf(
  { enabled, state, reaches }: Pick<ListedAlert, 'enabled' | 'state' | 'reaches'>,
  measured: Judged | undefined,
): Standing {
  if (!enabled) return 'off';
  if (state === 'triggered') return 'over';
  const fine = reaches.length === 0 ? 'silent' : 'fine';
  if (!measured) return state === 'ok' ? fine : 'unknown';
  if (measured.insufficient_data) return 'unknown';
  const { current_value: value, threshold_value: limit, forecast } = measured;
  if (value > limit) return 'over';
  return value >= close * limit || (forecast && forecast.over_on !== null) ? 'close' : fine;
}

/** Sorts by standing, and within it by how close an alert is to its limit. */
export function byStanding<Row extends { alert: ListedAlert; measured: Judged | undefined }>(
  rows: readonly Row[],
): Row[] {
  const rank = ({ alert, measured }: Row) => standings.indexOf(standingOf(alert, measured));
  const share = ({ measured }: Row) => (measured ? measured.current_value / measured.threshold_value : 0);
  return rows.toSorted((a, b) => rank(a) - rank(b) || share(b) - share(a) || compared(a.alert, b.alert));
}

function compared(a: ListedAlert, b: ListedAlert): number {
  return a.name.localeCompare(b.name, 'en', { numeric: true });
}

export type Budget = { alert: ListedAlert; measured: Measurement };

export const maxWorst = 3;

export const isBudget = (alert: ListedAlert) => alert.enabled && alertType(alert).by_period;

/** The budgets that are furthest over their limit or closest to it. */
export function worstOf(
  alerts: readonly ListedAlert[],
  measured: ReadonlyMap<string, Measurement>,
): Budget[] {
  const budgets = alerts.filter(isBudget).flatMap((alert): Budget[] => {
    const found = measured.get(alert.id);
    return found ? [{ alert, measured: found }] : [];
  });
  /** What is expected, as a part of the limit; 1 is exactly the limit. */
  const share = ({ alert, measured: { forecast, current_value: value } }: Budget) =>
    (forecast?.projected ?? value) / alert.threshold_amount;
  return budgets.toSorted((a, b) => share(b) - share(a)).slice(0, maxWorst);
}

import { roundedDollars, shortDay } from '../ui/figures.ts';
import type { ListedAlert, Measurement } from './types.ts';

type Forecast = Pick<NonNullable<Measurement['forecast']>, 'spent' | 'projected' | 'over_on'> & {
  period: { end: string };
};

const wholes = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const tenths = (mode: 'floor' | 'ceil' | 'halfExpand') =>
  new Intl.NumberFormat('en-US', { maximumFractionDigits: 1, roundingMode: mode });

/** `92%`, `1,234%`, `4.5%`. Only exactly all of it reads as 100%. */
export function percentOf(amount: number, limit: number): string {
  const percent = (100 * amount) / limit;
  const isNearLimit = Math.abs(percent - 100) <= 0.5 && amount !== limit;
  if (isNearLimit) return `${tenths(amount < limit ? 'floor' : 'ceil').format(percent)}%`;
  return `${(percent < 10 ? tenths('halfExpand') : wholes).format(percent)}%`;
}

/** `over on Nov 25`, or what the period is expected to use. */
export function headingOf(limit: number, { spent, projected, over_on: overOn, period }: Forecast): string {
  const end = shortDay(period.end);
  if (spent > limit) return `over since ${shortDay(overOn ?? period.end)}`;
  if (overOn !== null) return `over on ${shortDay(overOn)}`;
  return `about ${roundedDollars(Math.round(projected))} (${percentOf(projected, limit)}) by ${end}`;
}

/** `92%, over on Nov 25; about $1,300 (130%) by Nov 30`, and whether that is so already or to come. */
export function budgetStatus(limit: number, forecast: Forecast): { text: string; isOver: boolean } {
  const used = percentOf(forecast.spent, limit);
  const heading = headingOf(limit, forecast);
  if (forecast.spent <= limit && forecast.over_on === null)
    return { text: `${used} so far, ${heading}`, isOver: false };
  return { text: `${used}, ${heading}; ${endOf(limit, forecast)}`, isOver: true };
}

/** `about $1,300 (130%) by Nov 30`, also for a budget that is over. */
export function endOf(limit: number, forecast: Forecast): string {
  return headingOf(limit, { ...forecast, spent: 0, over_on: null });
}

/** What the period is expected to use of its budget; 1 is all of it. */
export function expectedShare(limit: number, { projected }: Pick<Forecast, 'projected'>): number {
  return projected / limit;
}

/** The most pressing first. */
export const standings = ['over', 'close', 'fine', 'unknown', 'off'] as const;
export type Standing = (typeof standings)[number];

/** Of the threshold. */
const close = 0.9;

type Judged = Pick<Measurement, 'current_value' | 'threshold_value' | 'insufficient_data'> & {
  forecast: Forecast | null;
};

/** How an alert stands. The measurement is undefined until it has loaded. */
export function standingOf(
  { enabled, state }: Pick<ListedAlert, 'enabled' | 'state'>,
  measured: Judged | undefined,
): Standing {
  if (!enabled) return 'off';
  if (state === 'triggered') return 'over';
  if (!measured) return state === 'ok' ? 'fine' : 'unknown';
  if (measured.insufficient_data) return 'unknown';
  const { current_value: value, threshold_value: limit, forecast } = measured;
  if (value > limit) return 'over';
  return value >= close * limit || (forecast && forecast.over_on !== null) ? 'close' : 'fine';
}

/** Those over first, then the closest. */
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

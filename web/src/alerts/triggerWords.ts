import { datesTitle } from '../analysis/ranges.ts';
import { clockIn, zoneName } from '../api/calendar.ts';
import type { ExplainedTrigger, ListedAlert, Measurement, OpenTrigger } from './types.ts';

const tenths = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** An anomaly alert can trigger on today's costs so far while the last whole days are normal. */
export function openAnomalyOf(
  { alert_type: type }: Pick<ListedAlert, 'alert_type'>,
  measured: Pick<Measurement, 'open_trigger'> | undefined,
): OpenTrigger | null {
  const open = measured?.open_trigger ?? null;
  return type === 'anomaly' && open?.alert_type === 'anomaly' ? open : null;
}

/** For example `9.4% below normal`. */
export function awayInWords(percent: number): string {
  if (percent === 0) return 'as normal';
  return `${tenths.format(Math.abs(percent))}% ${percent > 0 ? 'above' : 'below'} normal`;
}

export function periodInWords({ start, end }: { start: string; end: string }): string {
  return datesTitle({ from: start, to: end });
}

export function untilInWords(at: string): string {
  const date = new Date(at);
  return `until ${clockIn(date).time.slice(0, 5)} ${zoneName(date)}`;
}

/** A check on demand covers the day so far and compares it with the same hours of earlier days. */
export function isOfDaySoFar({
  alert_type,
  triggered_at,
  period,
}: Pick<ExplainedTrigger, 'alert_type' | 'triggered_at' | 'period'>): boolean {
  return alert_type === 'anomaly' && triggered_at.slice(0, 10) <= period.end;
}

/** The time that an anomaly's trigger covers, such as `Mar 18, 2026, until 09:05 UTC`. */
export function countedInWords(trigger: OpenTrigger): string {
  const period = periodInWords(trigger.period);
  return isOfDaySoFar(trigger) ? `${period}, ${untilInWords(trigger.triggered_at)}` : period;
}

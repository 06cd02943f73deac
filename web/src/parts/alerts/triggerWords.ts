import { datesTitle } from '../../analysis/ranges.ts';
import { clockIn, zoneName } from '../../api/calendar.ts';
import { alertType, unitOf } from './alertTypes.ts';
import type { ExplainedTrigger, Kind, Measurement, OpenTrigger } from './types.ts';

/** An alert that compares days can trigger on today's costs so far while the last whole days are normal. */
export function openRiseOf(
  alert: Kind,
  measured: Pick<Measurement, 'open_trigger'> | undefined,
): OpenTrigger | null {
  const open = measured?.open_trigger ?? null;
  return open?.alert_type === alert.alert_type && alertType(alert).compared_with ? open : null;
}

/** For example `9.4% below normal`. */
export function awayInWords(kind: Kind, value: number): string {
  const described = alertType(kind);
  const normal = described.baseline_title.toLowerCase();
  if (value === 0) return `as ${normal}`;
  return `${unitOf(described).value(Math.abs(value))} ${value > 0 ? 'above' : 'below'} ${normal}`;
}

export function periodInWords({ start, end }: { start: string; end: string }): string {
  return datesTitle({ from: start, to: end });
}

export function untilInWords(at: string): string {
  const date = new Date(at);
  return `until ${clockIn(date).time.slice(0, 5)} ${zoneName(date)}`;
}

/** A check on demand covers the day so far and compares it with the same hours of earlier days. */
export function isOfDaySoFar(trigger: Kind & Pick<ExplainedTrigger, 'triggered_at' | 'period'>): boolean {
  return !!alertType(trigger).compared_with && trigger.triggered_at.slice(0, 10) <= trigger.period.end;
}

/** The time that a trigger covers, such as `Mar 18, 2026, until 09:05 UTC`. */
export function countedInWords(trigger: OpenTrigger): string {
  const period = periodInWords(trigger.period);
  return isOfDaySoFar(trigger) ? `${period}, ${untilInWords(trigger.triggered_at)}` : period;
}

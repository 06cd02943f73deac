import { Text } from '@mantine/core';
import { periodInWords } from '../../../alerts/triggerWords.ts';
import type { AlertType, Preview } from '../../../alerts/types.ts';
import { thresholdInWords } from '../../../alerts/words.ts';
import { colorOf } from '../../../analysis/colors.ts';
import { ChartNote } from '../../../charts/ChartNote.tsx';
import { Keys } from '../../../charts/Legend.tsx';
import { Breaks } from '../../../charts/Pins.tsx';
import { spanTitle } from '../../../charts/spans.ts';
import { axisDollars, evenTicks } from '../../../charts/ticks.ts';
import { Bars, Limit, TimeChart } from '../../../charts/TimeChart.tsx';
import { count, dollars, shortDay, withMinus } from '../../../ui/figures.ts';
import { lastDayBefore, valueInWords } from './words.ts';

type Check = Preview['series'][number];
type Column = { start: string; value: number | null; isFiring: boolean; check: Check };

type Props = { type: AlertType; preview: Preview; threshold: number | null; height: number };

const keysHeight = 26;
const maxThresholds = 4;

export default function PreviewChart({ type, preview, threshold, height }: Props) {
  const fired = new Set(threshold === null ? [] : preview.firings.map(({ at }) => at));
  // Only rises trigger an anomaly.
  const least = type === 'budget' ? -Infinity : 0;
  const known = preview.series.filter((check) => !check.insufficient_data);
  const values = known.map(({ current_value: value }) => Math.max(least, value));
  const most = type === 'budget' || threshold === null ? Infinity : scaleOf(values, threshold);
  const ticks = ticksOf(
    values.map((value) => Math.min(most, value)),
    threshold,
  );
  const top = ticks.at(-1)!;
  const columns = preview.series.map((check): Column => ({
    start: lastDayBefore(check.at),
    value: check.insufficient_data ? null : Math.min(top, Math.max(least, check.current_value)),
    isFiring: fired.has(check.at),
    check,
  }));
  const beyond = known.filter(({ current_value: value }) => value > top);
  const isInside = threshold !== null && threshold <= top;
  const valueIf =
    (isWanted: boolean) =>
    ({ value, isFiring }: Column) =>
      isFiring === isWanted ? value : null;
  return (
    <>
      <TimeChart
        rows={columns}
        height={height - keysHeight}
        granularity="day"
        ticks={ticks}
        onAxis={(value) => (type === 'budget' ? axisDollars(value) : withMinus(`${count(value)}%`))}
        hasColumns
        {...(beyond.length > 0 && { top: 16 })}
        note={(column) => <Seen type={type} column={column} />}
      >
        <Bars of={valueIf(false)} color={colorOf(0)} count={columns.length} />
        <Bars of={valueIf(true)} color="var(--chart-over)" count={columns.length} />
        {beyond.length > 0 && (
          <Breaks starts={beyond.map(({ at }) => lastDayBefore(at))} color="var(--chart-over)" />
        )}
        {isInside && <Limit amount={threshold} label={`Threshold ${thresholdInWords(type, threshold)}`} />}
      </TimeChart>
      <Keys
        keys={[
          { title: type === 'budget' ? 'Spent' : 'Rise', kind: 'bar' as const, color: colorOf(0) },
          ...(fired.size > 0
            ? [{ title: 'Would have triggered', kind: 'bar' as const, color: 'var(--chart-over)' }]
            : []),
          ...(beyond.length > 0
            ? [{ title: beyondInWords(beyond), kind: 'beyond' as const, color: 'var(--chart-over)' }]
            : []),
        ]}
      />
    </>
  );
}

/** Of one large rise, a scale to its end would hide the threshold and all other days. */
function scaleOf(values: readonly number[], threshold: number): number {
  const usual = values.toSorted((a, b) => a - b)[Math.floor(0.9 * (values.length - 1))] ?? 0;
  return Math.max(maxThresholds * threshold, 1.25 * usual);
}

/** `Beyond the scale: Nov 26 and Nov 27`. Today's value would differ from that of the check that triggered. */
function beyondInWords(checks: readonly Check[]): string {
  if (checks.length > 2) return `Beyond the scale: ${checks.length} days`;
  return `Beyond the scale: ${checks.map(({ at }) => shortDay(lastDayBefore(at))).join(' and ')}`;
}

/** A threshold far above all values would flatten the columns. */
function ticksOf(values: readonly number[], threshold: number | null): number[] {
  const peak = Math.max(0, ...values);
  const highest =
    threshold !== null && (peak === 0 || threshold <= 4 * peak) ? Math.max(peak, threshold) : peak;
  // Room for the threshold's label.
  return evenTicks(Math.min(0, ...values), highest * 1.08);
}

function Seen({ type, column: { check, start, isFiring } }: { type: AlertType; column: Column }) {
  return (
    <ChartNote
      title={`${spanTitle(start, 'day', { end: start })}${check.so_far ? ', so far' : ''}`}
      amount={check.insufficient_data ? undefined : valueInWords(type, check.current_value)}
      aside={check.insufficient_data && 'Not enough history to compare with'}
    >
      <Text inherit c="dimmed">
        {dollars(check.observed)} in {periodInWords(check.period)}
        {check.baseline === null ? '' : `, normally ${dollars(check.baseline)}`}
      </Text>
      {isFiring && (
        <Text inherit fw={500}>
          Would have triggered
        </Text>
      )}
    </ChartNote>
  );
}

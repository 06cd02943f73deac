import { Text } from '@mantine/core';
import type { AlertType, Preview } from '../../../alerts/types.ts';
import { thresholdInWords } from '../../../alerts/words.ts';
import { colorOf } from '../../../analysis/colors.ts';
import { ChartNote } from '../../../charts/ChartNote.tsx';
import { Keys } from '../../../charts/Legend.tsx';
import { spanTitle } from '../../../charts/spans.ts';
import { axisDollars, evenTicks } from '../../../charts/ticks.ts';
import { Bars, Limit, TimeChart } from '../../../charts/TimeChart.tsx';
import { count, dollars, withMinus } from '../../../ui/figures.ts';
import { lastDayBefore, periodInWords, valueInWords } from './words.ts';

type Check = Preview['series'][number];
type Column = { start: string; value: number | null; isFiring: boolean; check: Check };

type Props = { type: AlertType; preview: Preview; threshold: number | null; height: number };

const keysHeight = 26;

export default function PreviewChart({ type, preview, threshold, height }: Props) {
  const fired = new Set(threshold === null ? [] : preview.firings.map(({ at }) => at));
  // Only rises trigger an anomaly.
  const least = type === 'budget' ? -Infinity : 0;
  const columns = preview.series.map((check): Column => ({
    start: lastDayBefore(check.at),
    value: check.insufficient_data ? null : Math.max(least, check.current_value),
    isFiring: fired.has(check.at),
    check,
  }));
  const ticks = ticksOf(columns, threshold);
  const isInside = threshold !== null && threshold <= ticks.at(-1)!;
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
        note={(column) => <Seen type={type} column={column} />}
      >
        <Bars of={valueIf(false)} color={colorOf(0)} count={columns.length} />
        <Bars of={valueIf(true)} color="var(--chart-over)" count={columns.length} />
        {isInside && <Limit amount={threshold} label={`Threshold ${thresholdInWords(type, threshold)}`} />}
      </TimeChart>
      <Keys
        keys={[
          { title: type === 'budget' ? 'Spent' : 'Rise', kind: 'bar' as const, color: colorOf(0) },
          ...(fired.size > 0
            ? [{ title: 'Would have triggered', kind: 'bar' as const, color: 'var(--chart-over)' }]
            : []),
        ]}
      />
    </>
  );
}

/** A threshold far above all values would flatten the columns. */
function ticksOf(columns: readonly Column[], threshold: number | null): number[] {
  const values = columns.map(({ value }) => value ?? 0);
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

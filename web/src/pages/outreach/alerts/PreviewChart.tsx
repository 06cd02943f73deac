import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { Paper, Text } from '@mantine/core';
import { axisDollars, axisOf, dayTicks, evenTicks } from '../../../ui/chartWords.ts';
import { dollars, longDay, shortDay, withMinus } from '../../../ui/figures.ts';
import type { AlertType, Preview } from './types.ts';
import { lastDayBefore, periodInWords, thresholdInWords, valueInWords } from './words.ts';

type Check = Preview['series'][number];
type Bar = { day: string; seen: number | null; fired: number | null; check: Check };

type Props = { type: AlertType; preview: Preview; threshold: number | null };

export default function PreviewChart({ type, preview, threshold }: Props) {
  const fired = new Set(threshold === null ? [] : preview.firings.map(({ at }) => at));
  const bars = preview.series.map((check): Bar => {
    const value = check.insufficient_data ? null : check.current_value;
    const isFiring = fired.has(check.at);
    return {
      day: lastDayBefore(check.at),
      seen: isFiring ? null : value,
      fired: isFiring ? value : null,
      check,
    };
  });
  const ticks = ticksOf(preview, threshold);
  const isInside = threshold !== null && threshold <= ticks.at(-1)!;
  return (
    <BarChart
      h="100%"
      data={bars}
      dataKey="day"
      type="stacked"
      series={[
        { name: 'seen', label: type === 'budget' ? 'Spent' : 'Rise', color: 'teal.7' },
        { name: 'fired', label: 'Would have triggered', color: 'red.7' },
      ]}
      withLegend
      barProps={{ isAnimationActive: false }}
      referenceLines={
        isInside
          ? [
              {
                y: threshold,
                color: 'red.7',
                strokeWidth: 2,
                label: `Threshold ${thresholdInWords(type, threshold)}`,
                labelPosition: 'insideBottomLeft',
              },
            ]
          : []
      }
      referenceDots={bars.flatMap(({ day, fired: value }) =>
        value === null ? [] : [{ x: day, y: value, r: 4, color: 'red.7' }],
      )}
      xAxisProps={{ tickFormatter: shortDay, ...dayTicks }}
      yAxisProps={{ ...axisOf(ticks), width: 64, allowDataOverflow: true }}
      valueFormatter={(value) => (type === 'budget' ? axisDollars(value) : withMinus(`${value}%`))}
      tooltipProps={{
        isAnimationActive: false,
        content: ({ payload }) => {
          const bar = payload?.[0]?.payload as Bar | undefined;
          return bar ? <Seen type={type} bar={bar} /> : null;
        },
      }}
    />
  );
}

/** A threshold far above all values would flatten the bars. */
function ticksOf({ series }: Preview, threshold: number | null): number[] {
  const values = series.map(({ current_value }) => current_value);
  const peak = Math.max(0, ...values);
  const highest =
    threshold !== null && (peak === 0 || threshold <= 4 * peak) ? Math.max(peak, threshold) : peak;
  // Room for the threshold's label.
  return evenTicks(Math.min(0, ...values), highest * 1.08);
}

function Seen({ type, bar: { check, day, fired } }: { type: AlertType; bar: Bar }) {
  return (
    <Paper withBorder shadow="md" p="xs" fz="sm">
      <Text size="sm" fw={600}>
        {longDay(day)}
        {check.so_far && ', so far'}
      </Text>
      {check.insufficient_data ? (
        <Text size="sm">Not enough history to compare with</Text>
      ) : (
        <Text size="sm">{valueInWords(type, check.current_value)}</Text>
      )}
      <Text size="xs" c="dimmed">
        {dollars(check.observed)} in {periodInWords(check.period)}
        {check.baseline === null ? '' : `, normally ${dollars(check.baseline)}`}
      </Text>
      {fired !== null && (
        <Text size="sm" fw={600}>
          Would have triggered
        </Text>
      )}
    </Paper>
  );
}

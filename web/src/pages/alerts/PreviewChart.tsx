import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { Paper, Text } from '@mantine/core';
import { dollars, shortDay } from '../../shown/figures.ts';
import type { AlertType, Preview } from './types.ts';
import { dayInWords, lastDayBefore, periodInWords, thresholdInWords, valueInWords } from './words.ts';

type Check = Preview['series'][number];
type Bar = { day: string; seen: number | null; fired: number | null; check: Check };

type Props = { type: AlertType; preview: Preview; threshold: number | null };

/** What every check would have seen, the threshold as it is typed, and the checks that would have told. */
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
  const [lowest, highest] = domainOf(preview, threshold);
  const isInside = threshold !== null && threshold <= highest;
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
      xAxisProps={{ tickFormatter: shortDay, minTickGap: 24 }}
      yAxisProps={{ domain: [lowest, highest], width: 64, allowDataOverflow: true }}
      valueFormatter={(value) => (type === 'budget' ? roundDollars(value) : `${value} %`)}
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

/** A threshold far above everything would press the bars to the ground. */
function domainOf({ series }: Preview, threshold: number | null): [lowest: number, highest: number] {
  const values = series.map(({ current_value }) => current_value);
  const most = Math.max(0, ...values);
  const highest =
    threshold !== null && (most === 0 || threshold <= 4 * most) ? Math.max(most, threshold) : most;
  return [niceBelow(Math.min(0, ...values)), niceAbove(highest * 1.08 || 1)];
}

/** The next of 1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10 times a power of ten, so that the axis ends at a round number. */
function niceAbove(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value));
  const step = [1, 1.2, 1.6, 2, 2.4, 3, 4, 5, 6, 8, 10].find((each) => each * unit >= value) ?? 10;
  return step * unit;
}

function niceBelow(value: number): number {
  return value < 0 ? -niceAbove(-value) : 0;
}

function roundDollars(value: number): string {
  return `$${value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 2 : 0 })}`;
}

function Seen({ type, bar: { check, day, fired } }: { type: AlertType; bar: Bar }) {
  return (
    <Paper withBorder shadow="md" p="xs" fz="sm">
      <Text size="sm" fw={600}>
        {dayInWords(day)}
      </Text>
      {check.insufficient_data ? (
        <Text size="sm">Not enough history to compare with</Text>
      ) : (
        <Text size="sm">{valueInWords(type, check.current_value)}</Text>
      )}
      <Text size="xs" c="dimmed">
        {dollars(check.observed)} in {periodInWords(check.period)}
        {check.baseline === null ? '' : `, usually ${dollars(check.baseline)}`}
      </Text>
      {fired !== null && (
        <Text size="sm" fw={600}>
          Would have triggered
        </Text>
      )}
    </Paper>
  );
}

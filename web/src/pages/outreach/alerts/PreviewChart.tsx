import { Text } from '@mantine/core';
import { colorOf } from '../../../analysis/colors.ts';
import { ChartNote } from '../../../charts/ChartNote.tsx';
import { Keys } from '../../../charts/Legend.tsx';
import { Breaks } from '../../../charts/Pins.tsx';
import { spanTitle } from '../../../charts/spans.ts';
import { ticksWithLines } from '../../../charts/ticks.ts';
import { Limit, TimeChart } from '../../../charts/TimeChart.tsx';
import { alertType, observedUnitOf, unitOf } from '../../../parts/alerts/alertTypes.ts';
import { periodInWords } from '../../../parts/alerts/triggerWords.ts';
import type { Kind, Preview } from '../../../parts/alerts/types.ts';
import { thresholdInWords } from '../../../parts/alerts/words.ts';
import { shortDay } from '../../../ui/figures.ts';
import { Note } from '../../../ui/text.tsx';
import { lastDayBefore, recurrenceInWords, valueInWords } from './words.ts';

type Check = Preview['series'][number];
type Mark = keyof typeof colors;
type Column = { start: string; value: number | null; mark: Mark; check: Check };

type Props = {
  kind: Kind;
  preview: Preview;
  threshold: number | null;
  /** Also drawn, for comparison; null if there is none or if it equals the threshold. */
  suggested?: number | null;
  height: number;
};

const over = 'var(--chart-over)';
const colors = {
  within: colorOf(0),
  over: `color-mix(in srgb, ${over} 70%, var(--chart-gap))`,
  firing: over,
};
const titles = { over: 'Over the threshold', firing: 'Would have triggered' };

const wordsHeight = 48;
const maxThresholds = 4;

export function PreviewChart({ kind, preview, threshold, suggested = null, height }: Props) {
  const fired = new Set(threshold === null ? [] : preview.firings.map(({ at }) => at));
  const described = alertType(kind);
  const { compared_with, by_period, value_title } = described;
  // Only rises trigger an alert that compares.
  const least = compared_with ? 0 : -Infinity;
  const known = preview.series.filter((check) => !check.insufficient_data);
  const values = known.map(({ current_value: value }) => Math.max(least, value));
  const most = !compared_with || threshold === null ? Infinity : scaleOf(values, threshold);
  const ticks = ticksWithLines(
    values.map((value) => Math.min(most, value)),
    [threshold, suggested].filter((line) => line !== null),
  );
  const top = ticks.at(-1)!;
  const columns = preview.series.map((check): Column => ({
    start: lastDayBefore(check.at),
    value: check.insufficient_data ? null : Math.min(top, Math.max(least, check.current_value)),
    mark: fired.has(check.at) ? 'firing' : threshold !== null && check.over_threshold ? 'over' : 'within',
    check,
  }));
  const marks = (['firing', 'over'] as const).filter((mark) =>
    columns.some((column) => column.mark === mark),
  );
  const beyond = known.filter(({ current_value: value }) => value > top);
  const lines = [
    { title: 'Threshold', amount: threshold, isDashed: false },
    { title: 'Suggested', amount: suggested, isDashed: true },
  ].filter((line): line is typeof line & { amount: number } => line.amount !== null && line.amount <= top);
  return (
    <>
      <TimeChart
        rows={columns}
        height={height - wordsHeight}
        granularity="day"
        ticks={ticks}
        onAxis={unitOf(described).onAxis}
        parts={(['within', ...marks] as const).map((mark) => ({
          key: mark,
          of: (column: Column) => (column.mark === mark ? column.value : null),
          color: colors[mark],
        }))}
        heightOf={({ value }) => value ?? 0}
        {...(beyond.length > 0 && { top: 16 })}
        note={(column) => <Seen kind={kind} column={column} />}
      >
        {(plot) => (
          <>
            <Breaks plot={plot} starts={beyond.map(({ at }) => lastDayBefore(at))} color={over} />
            {lines.map(({ title, ...line }) => (
              <Limit key={title} plot={plot} {...line} />
            ))}
          </>
        )}
      </TimeChart>
      <Keys
        keys={[
          { title: value_title, kind: 'bar' as const, color: colors.within },
          ...marks.map((mark) => ({ title: titles[mark], kind: 'bar' as const, color: colors[mark] })),
          ...lines.map(({ title, amount, isDashed }) => ({
            title: `${title} ${thresholdInWords(kind, amount)}`,
            kind: isDashed ? ('dashed' as const) : ('line' as const),
            color: over,
          })),
          ...(beyond.length > 0
            ? [{ title: beyondInWords(beyond), kind: 'beyond' as const, color: over }]
            : []),
        ]}
      />
      {marks.includes('over') && (
        <Note size="xs" mt={4}>
          {by_period
            ? 'It triggers once per period.'
            : 'Once triggered, it triggers again only after a check within the threshold.'}
        </Note>
      )}
    </>
  );
}

/** A scale that includes one large rise would hide the threshold and all other days. */
function scaleOf(values: readonly number[], threshold: number): number {
  const usual = values.toSorted((a, b) => a - b)[Math.floor(0.9 * (values.length - 1))] ?? 0;
  return Math.max(maxThresholds * threshold, 1.25 * usual);
}

/**
 * For example `Beyond the scale: Nov 26 and Nov 27`. It gives no values: today's would differ from the check that
 * triggered.
 */
function beyondInWords(checks: readonly Check[]): string {
  if (checks.length > 2) return `Beyond the scale: ${checks.length} days`;
  return `Beyond the scale: ${checks.map(({ at }) => shortDay(lastDayBefore(at))).join(' and ')}`;
}

function Seen({ kind, column: { check, start, mark } }: { kind: Kind; column: Column }) {
  const observed = observedUnitOf(alertType(kind)).value;
  return (
    <ChartNote
      title={`${spanTitle(start, 'day', { end: start })}${check.so_far ? ', so far' : ''}`}
      amount={check.insufficient_data ? undefined : valueInWords(kind, check.current_value)}
      aside={check.insufficient_data && 'Not enough history to compare with'}
    >
      <Text inherit c="dimmed">
        {observed(check.observed)} in {periodInWords(check.period)}
        {check.baseline === null ? '' : `, normally ${observed(check.baseline)}${recurrenceInWords(check)}`}
      </Text>
      {mark !== 'within' && (
        <Text inherit fw={500}>
          {titles[mark]}
        </Text>
      )}
    </ChartNote>
  );
}

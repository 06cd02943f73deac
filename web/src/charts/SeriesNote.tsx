import { Text } from '@mantine/core';
import { Change } from '../analysis/Change.tsx';
import { colorOf } from '../analysis/colors.ts';
import { metrics, type Metric } from '../analysis/words.ts';
import { ChartNote } from './ChartNote.tsx';
import { weekdayTitle } from './spans.ts';

type Part = { key: string; title: string; slot: number | null; value: number };

type Props = {
  title: string;
  total: number;
  previous: number | null;
  /** The day of `previous`. */
  comparedWith?: string | null;
  metric: Metric;
  /** A part of a day against a whole one says nothing. */
  isSoFar?: boolean;
  /** Those of a chart, without order. */
  parts?: readonly Part[];
  /** What else happened there. */
  notes?: readonly string[];
};

const shown = 3;

export function SeriesNote({
  title,
  total,
  previous,
  comparedWith = null,
  metric,
  isSoFar = false,
  parts = [],
  notes = [],
}: Props) {
  const words = metrics[metric];
  const ranked = parts.filter(({ value }) => value > 0).toSorted((a, b) => b.value - a.value);
  // One part more takes no more room than the rest.
  const top = ranked.slice(0, ranked.length === shown + 1 ? shown + 1 : shown);
  const rest = ranked.slice(top.length);
  return (
    <ChartNote
      title={title}
      amount={words.amount(total)}
      aside={previous !== null && !isSoFar && <Change value={total} previous={previous} metric={metric} />}
      lines={
        parts.length > 1
          ? top.map(({ slot, value, ...part }) => ({
              ...part,
              color: colorOf(slot),
              amount: words.cell(value),
            }))
          : []
      }
    >
      {rest.length > 0 && (
        <Text inherit c="dimmed">
          and {rest.length} more, {words.amount(rest.reduce((sum, { value }) => sum + value, 0))}
        </Text>
      )}
      {previous !== null && comparedWith !== null && (
        <Text inherit c="dimmed">
          {weekdayTitle(comparedWith)}: {words.amount(previous)}
        </Text>
      )}
      {notes.map((note) => (
        <Text key={note} inherit fw={500} style={{ whiteSpace: 'normal' }}>
          {note}
        </Text>
      ))}
    </ChartNote>
  );
}

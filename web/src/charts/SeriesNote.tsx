import { Box, Text } from '@mantine/core';
import type { ComponentProps } from 'react';
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
  /** The day that `previous` belongs to. */
  comparedWith?: string | null;
  metric: Metric;
  /** Today so far cannot be compared with a whole day. */
  isSoFar?: boolean;
  /** The parts of the column, in any order. */
  parts?: readonly Part[];
  notes?: readonly string[];
  /** For example `4 of 7 days`; null if the week or month is complete. */
  days?: string | null;
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
  days = null,
}: Props) {
  const words = metrics[metric];
  const ranked = parts.filter(({ value }) => value > 0).toSorted((a, b) => b.value - a.value);
  // A single remaining part takes no more room than the line for the rest.
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
      {[
        rest.length > 0 &&
          `and ${rest.length} more, ${words.amount(rest.reduce((sum, { value }) => sum + value, 0))}`,
        previous !== null &&
          comparedWith !== null &&
          `${weekdayTitle(comparedWith)}: ${words.amount(previous)}`,
        days,
      ].map(
        (text) =>
          text && (
            <Text key={text} inherit c="dimmed">
              {text}
            </Text>
          ),
      )}
      {notes.map((note) => (
        <Text key={note} inherit fw={500} style={{ whiteSpace: 'normal' }}>
          {note}
        </Text>
      ))}
    </ChartNote>
  );
}

type BesideProps = ComponentProps<typeof SeriesNote> & { at: { x: number; y: number }; width: number };

/** Beside the pointer, on the side with more room in a chart of this width. */
export function NoteBeside({ at: { x, y }, width, ...props }: BesideProps) {
  const side = x > width / 2 ? { right: width - x + 14 } : { left: x + 14 };
  return (
    <Box pos="absolute" className="note-beside" style={{ top: y + 14, ...side }}>
      <SeriesNote {...props} />
    </Box>
  );
}

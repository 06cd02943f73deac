import { Group, Paper, Stack, Text } from '@mantine/core';
import { colorOf } from '../../../analysis/colors.ts';
import { metrics, type Metric } from '../../../analysis/words.ts';
import { Change } from './Change.tsx';

type Part = { key: string; title: string; slot: number | null; value: number };

type Props = {
  title: string;
  total: number;
  previous: number | null;
  metric: Metric;
  /** Those of a chart, without order. */
  parts?: Part[];
};

const shown = 6;

/** What a place of a chart says, beside the cursor. */
export function SeriesNote({ title, total, previous, metric, parts = [] }: Props) {
  const words = metrics[metric];
  const ranked = parts.filter(({ value }) => value > 0).toSorted((a, b) => b.value - a.value);
  const rest = ranked.slice(shown);
  return (
    <Paper
      withBorder
      shadow="md"
      px="sm"
      py={8}
      bg="var(--mantine-color-body)"
      maw={320}
      className="chart-note"
    >
      <Stack gap={3}>
        <Text size="xs" c="dimmed">
          {title}
        </Text>
        <Group gap="xs" align="baseline">
          <Text size="sm" fw={700}>
            {words.amount(total)}
          </Text>
          {previous !== null && (
            <Text size="xs">
              <Change value={total} previous={previous} metric={metric} />
            </Text>
          )}
        </Group>
        {ranked.length > 1 || parts.length > 1
          ? ranked.slice(0, shown).map(({ key, title: name, slot, value }) => (
              <Group key={key} justify="space-between" gap="lg" wrap="nowrap">
                <Group gap={6} wrap="nowrap" miw={0}>
                  <span className="swatch" style={{ background: colorOf(slot) }} />
                  <Text size="xs" truncate>
                    {name}
                  </Text>
                </Group>
                <Text size="xs" className="number">
                  {words.cell(value)}
                </Text>
              </Group>
            ))
          : null}
        {rest.length > 0 && (
          <Text size="xs" c="dimmed">
            and {rest.length} more, {words.amount(rest.reduce((sum, { value }) => sum + value, 0))}
          </Text>
        )}
      </Stack>
    </Paper>
  );
}

import { Group, Stack, Text, Title, type StackProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Compared } from '../../analysis/Change.tsx';
import { beforeTitle } from '../../analysis/changeWords.ts';
import type { Costs } from '../../analysis/queries.ts';
import { metrics } from '../../analysis/words.ts';

type Props = StackProps & { costs: Costs; heading: ReactNode; headingId?: string };

/** The total of a question above its chart, and its change. */
export function CostTotal({ costs, heading, headingId, ...props }: Props) {
  const { metric, period, previous_period: before } = costs;
  const { value, previous_value: previous } = costs.total;
  const words = metrics[metric];
  return (
    <Stack gap={0} {...props}>
      <Title {...(headingId !== undefined && { id: headingId })} order={2} size="sm" fw={500} c="dimmed">
        {heading}
      </Title>
      <Group gap="xs" align="baseline">
        <Text fz={26} lh={1.3} fw={700} className="explore-total" aria-description={words.exactly(value)}>
          {words.amount(value)}
        </Text>
        {before && (
          <Text size="sm" component="div" c="dimmed">
            <Compared value={value} previous={previous} metric={metric} days={beforeTitle(period, before)} />
          </Text>
        )}
      </Group>
    </Stack>
  );
}

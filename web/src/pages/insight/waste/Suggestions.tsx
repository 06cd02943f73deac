import { Badge, Group, List, Stack, Text } from '@mantine/core';
import { CodeBlock } from '../../../ui/CodeBlock.tsx';
import { Money } from '../../../ui/Money.tsx';
import { categoryShown } from './categories.ts';
import type { WastefulWorkflow } from './queries.ts';

type Props = Pick<WastefulWorkflow, 'suggestions'> & {
  of: string;
};

export function Suggestions({ of, suggestions }: Props) {
  return (
    <List
      listStyleType="none"
      spacing="md"
      py="xs"
      style={{ position: 'sticky', left: 8, maxWidth: 'min(760px, calc(100vw - 96px))' }}
    >
      {suggestions.map(({ category, action, text, jobs, saving, yaml }) => (
        <List.Item key={`${action} ${jobs.join()}`} styles={{ itemWrapper: { display: 'block' } }}>
          <Stack gap={6}>
            <Group gap="xs">
              <Badge variant="default" tt="none">
                {categoryShown[category].label}
              </Badge>
              {saving > 0 && (
                <Text size="sm" fw={600}>
                  Save up to <Money amount={saving} />
                </Text>
              )}
            </Group>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {text}
            </Text>
            {jobs.length > 1 && (
              <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                Jobs: {jobs.join(', ')}
              </Text>
            )}
            {yaml !== null && (
              <CodeBlock label={`Lines for the workflow file of ${of}, ${jobs.join(' ')}`}>{yaml}</CodeBlock>
            )}
          </Stack>
        </List.Item>
      ))}
    </List>
  );
}

import { Anchor, Badge, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { pricingQuery } from '../../../api/queries.ts';
import { longDay, timeText } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';

export function BookInUse() {
  const pricing = useQuery(pricingQuery);
  const today = new Date().toISOString().slice(0, 10);
  return (
    <Loaded query={pricing} height={24}>
      {({ book }) => (
        <Group gap="xs" mih={24}>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            Price list in use:{' '}
            <b
              {...(book.chosen_at !== null && {
                'data-hint': `Chosen on ${timeText(new Date(book.chosen_at))}`,
              })}
            >
              {book.name}
            </b>
          </Text>
          {book.last_day !== null && (
            <Badge variant="default" tt="none">
              {book.last_day < today ? 'ended' : 'ends'} {longDay(book.last_day)}
            </Badge>
          )}
          <Anchor component={Link} href="/settings/pricing?tab=lists" size="sm">
            Change
          </Anchor>
        </Group>
      )}
    </Loaded>
  );
}

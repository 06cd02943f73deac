import { Badge, Group, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { pricingQuery } from '../../../api/queries.ts';
import { longDay, timeText } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { RightsNote, useWhyNot } from '../../../ui/rights.tsx';
import { LongText, RowLink } from '../../../ui/text.tsx';
import { HostedRunnersPanel } from './HostedRunnersPanel.tsx';
import { KindsPanel, useRows } from './KindsPanel.tsx';
import { PoolsPanel } from './PoolsPanel.tsx';
import { RateHintsPanel } from './RateHintsPanel.tsx';
import { RulesPanel } from './RulesPanel.tsx';
import { UnpricedPanel } from './UnpricedPanel.tsx';

export function PricesPart() {
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  const rows = useRows();
  return (
    <Stack gap="md">
      <BookInUse />
      <RightsNote reason={reason} />
      <KindsPanel rows={rows} reason={reason} />
      {/* They start to load at once, and show when the height of the list above is known. */}
      <div hidden={!rows.data && !rows.error}>
        <Stack gap="md">
          <RulesPanel reason={reason} />
          <UnpricedPanel reason={reason} />
          <HostedRunnersPanel reason={reason} />
          <PoolsPanel reason={reason} />
          <RateHintsPanel reason={reason} />
        </Stack>
      </div>
    </Stack>
  );
}

/** Of one line, or two on phones. */
const height = { base: 48, sm: 24 };

function BookInUse() {
  const pricing = useQuery(pricingQuery);
  const today = new Date().toISOString().slice(0, 10);
  return (
    <Loaded query={pricing} waiting={<Skeleton h={height} aria-busy="true" />}>
      {({ book }) => (
        <Group gap="xs" mih={height}>
          <LongText>
            Price list in use:{' '}
            <b
              {...(book.chosen_at !== null && {
                'data-hint': `Chosen on ${timeText(new Date(book.chosen_at))}`,
              })}
            >
              {book.name}
            </b>
          </LongText>
          {book.last_day !== null && (
            <Badge variant="default" tt="none">
              {book.last_day < today ? 'ended' : 'ends'} {longDay(book.last_day)}
            </Badge>
          )}
          <RowLink href="/settings/price-history">Change</RowLink>
        </Group>
      )}
    </Loaded>
  );
}

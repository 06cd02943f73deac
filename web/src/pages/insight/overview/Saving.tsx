import { Skeleton, Stack, Text } from '@mantine/core';
import { useFixes } from '../../../parts/waste/waste.ts';
import { Failed } from '../../../ui/Failed.tsx';
import { Money } from '../../../ui/Money.tsx';
import { Note } from '../../../ui/Note.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { RepositoryName, sharedOwner } from '../../../ui/RepositoryName.tsx';
import { TextLink } from '../../../ui/TextLink.tsx';

const days = 30;
/** Milliseconds. Reading waste is expensive, and it changes slowly. */
const keptFor = 600_000;

/** The fix that saves most. `isReady` says whether the figures above have loaded, which come first. */
export function Saving({ isReady }: { isReady: boolean }) {
  const waste = useFixes({ days, status: 'open', per_page: 1 }, { enabled: isReady, staleTime: keptFor });
  const found = waste.data?.data.fixes[0];
  return (
    <Panel
      title="Biggest saving"
      aside={
        <TextLink href={`/waste?days=${days}`} size="sm">
          All waste
        </TextLink>
      }
    >
      {waste.data === undefined ? (
        waste.error ? (
          <Failed error={waste.error} retry={() => void waste.refetch()} height={92} />
        ) : (
          <Skeleton height={92} aria-busy="true" />
        )
      ) : found && found.saving_per_month > 0 ? (
        <Stack gap={4} mih={92}>
          <Text fz={21} lh={1.3} fw={700}>
            Up to <Money amount={found.saving_per_month} /> a month
          </Text>
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {found.suggestions[0]!.text}
          </Text>
          <Note style={{ overflowWrap: 'anywhere' }}>
            <TextLink href={`/waste?days=${days}&category=${found.category}`} inherit underline="always">
              {found.workflow}
            </TextLink>{' '}
            <RepositoryName name={found.repository} owner={sharedOwner([found.repository])} />, last {days}{' '}
            days{found.left_out_days.length > 0 && ', without unusual days'}
          </Note>
        </Stack>
      ) : (
        <Note>Nothing to save in the last {days} days.</Note>
      )}
    </Panel>
  );
}

import { Skeleton, Stack, Text } from '@mantine/core';
import { useFixes } from '../../../parts/waste/waste.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { InText, LongText, Money, Note, RepositoryName, sharedOwner } from '../../../ui/text.tsx';

const days = 30;
/** Milliseconds. Reading waste is expensive, and it changes slowly. */
const keptFor = 600_000;

/** The fix that saves most. `isReady` says whether the figures above have loaded, which come first. */
export function Saving({ isReady }: { isReady: boolean }) {
  const waste = useFixes({ days, status: 'open', per_page: 1 }, { enabled: isReady, staleTime: keptFor });
  return (
    <Panel title="Biggest saving" more={{ href: `/waste?days=${days}`, label: 'All waste' }}>
      <Loaded query={waste} height={92} waiting={<Skeleton height={92} aria-busy="true" />}>
        {({
          data: {
            fixes: [found],
          },
        }) =>
          found && found.saving_per_month > 0 ? (
            <Stack gap={4} mih={92}>
              <Text fz={21} lh={1.3} fw={700}>
                Up to <Money amount={found.saving_per_month} /> a month
              </Text>
              <LongText>{found.suggestions[0]!.text}</LongText>
              <Note style={{ overflowWrap: 'anywhere' }}>
                <InText href={`/waste?days=${days}&category=${found.category}`}>{found.workflow}</InText>{' '}
                <RepositoryName name={found.repository} owner={sharedOwner([found.repository])} />, last{' '}
                {days} days{found.left_out_days.length > 0 && ', without unusual days'}
              </Note>
            </Stack>
          ) : (
            <Note>Nothing to save in the last {days} days.</Note>
          )
        }
      </Loaded>
    </Panel>
  );
}

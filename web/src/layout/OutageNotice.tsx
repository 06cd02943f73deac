import { Text } from '@mantine/core';
import { useQueryClient, type Query } from '@tanstack/react-query';
import { timeText } from '../ui/figures.ts';
import { isFailed, reasonOf, useFailures } from '../ui/outages.ts';
import { SmallButton } from '../ui/rights.tsx';

/**
 * Says once, for all parts of the page, why they are old or missing. It sticks to the lower edge, so that nothing
 * jumps.
 */
export function OutageNotice() {
  const queryClient = useQueryClient();
  const failed = useFailures(worst);
  return (
    <div role="status">
      {failed && (
        <div className="outage">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {failed.data === undefined
              ? 'Parts of this page failed to load: '
              : `Not updated since ${timeText(new Date(failed.dataUpdatedAt))}: `}
            {reasonOf(failed.error!)}
          </Text>
          <SmallButton
            flex="none"
            loading={failed.fetchStatus === 'fetching'}
            onClick={() => void queryClient.refetchQueries({ predicate: isFailed })}
          >
            Try again
          </SmallButton>
        </div>
      )}
    </div>
  );
}

/**
 * A query that never loaded, or else the one with the oldest data. Returns the state object itself, which is the same
 * until it changes.
 */
function worst(queries: Query[], said: ReadonlySet<Error>): Query['state'] | null {
  const [first] = queries
    .filter(({ state }) => !said.has(state.error!))
    .toSorted((a, b) => a.state.dataUpdatedAt - b.state.dataUpdatedAt);
  return first?.state ?? null;
}

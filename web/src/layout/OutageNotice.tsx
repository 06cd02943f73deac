import { Button, Group, Paper, Text } from '@mantine/core';
import { notifyManager, useQueryClient, type Query } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { ApiError } from '../api/client.ts';
import { isOutage, isRefusal } from '../ui/Failed.tsx';
import { timeText } from '../ui/figures.ts';

/**
 * Says why parts of the page are old or missing, once for all of them. It sticks to the lower edge, so that nothing
 * jumps.
 */
export function OutageNotice() {
  const queryClient = useQueryClient();
  const cache = queryClient.getQueryCache();
  const subscribe = useCallback(
    (onChange: () => void) => cache.subscribe(notifyManager.batchCalls(onChange)),
    [cache],
  );
  const failed = useSyncExternalStore(
    subscribe,
    () => worst(cache.getAll()),
    () => null,
  );
  return (
    <div role="status" className="outage">
      {failed && (
        <Paper withBorder shadow="md" px="sm" py={6}>
          <Group gap="sm" justify="space-between">
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {failed.data === undefined
                ? 'Parts of this page failed to load: '
                : `Not updated since ${timeText(new Date(failed.dataUpdatedAt))}: `}
              {reasonOf(failed.error!)}
            </Text>
            <Button
              variant="default"
              size="compact-sm"
              loading={failed.fetchStatus === 'fetching'}
              onClick={() => void queryClient.refetchQueries({ predicate: isFailed })}
            >
              Try again
            </Button>
          </Group>
        </Paper>
      )}
    </div>
  );
}

function isFailed(query: Query): boolean {
  const { status, data, error } = query.state;
  const isBanner = isOutage(error) || (data !== undefined && !isRefusal(error));
  return status === 'error' && query.isActive() && isBanner;
}

/** What never loaded, else what is oldest. Returns the state object itself, which stays the same until it changes. */
function worst(queries: Query[]): Query['state'] | null {
  const [first] = queries.filter(isFailed).toSorted((a, b) => a.state.dataUpdatedAt - b.state.dataUpdatedAt);
  return first?.state ?? null;
}

function reasonOf(error: Error): string {
  const request = error instanceof ApiError && error.requestId ? ` (request ${error.requestId})` : '';
  return error.message + request;
}

import { Button, Group, Paper, Text } from '@mantine/core';
import { notifyManager, useQueryClient, type Query } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { ApiError } from '../api/client.ts';
import { isRefusal } from '../ui/Failed.tsx';
import { utcTime } from '../ui/figures.ts';

/** Says since when the page shows old data. It sticks to the lower edge, so that nothing jumps. */
export function StaleNotice() {
  const queryClient = useQueryClient();
  const cache = queryClient.getQueryCache();
  const subscribe = useCallback(
    (onChange: () => void) => cache.subscribe(notifyManager.batchCalls(onChange)),
    [cache],
  );
  const stale = useSyncExternalStore(subscribe, () => longestStale(cache.getAll()));
  return (
    <div role="status" style={{ position: 'sticky', bottom: 8, zIndex: 1 }}>
      {stale && (
        <Paper withBorder shadow="sm" px="sm" py={6}>
          <Group gap="sm" justify="space-between">
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              Not updated since {utcTime(new Date(stale.dataUpdatedAt))}: {reasonOf(stale.error!)}
            </Text>
            <Button
              variant="default"
              size="compact-sm"
              loading={stale.fetchStatus === 'fetching'}
              onClick={() => void queryClient.refetchQueries({ predicate: isStale })}
            >
              Try again
            </Button>
          </Group>
        </Paper>
      )}
    </div>
  );
}

function isStale(query: Query): boolean {
  const { status, data, error } = query.state;
  return status === 'error' && data !== undefined && query.isActive() && !isRefusal(error);
}

/** Returns the state object itself, which stays the same until it changes. */
function longestStale(queries: Query[]): Query['state'] | null {
  const [first] = queries.filter(isStale).toSorted((a, b) => a.state.dataUpdatedAt - b.state.dataUpdatedAt);
  return first?.state ?? null;
}

function reasonOf(error: Error): string {
  const request = error instanceof ApiError && error.requestId ? ` (request ${error.requestId})` : '';
  return error.message + request;
}

import { Alert, Code, Group, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import { IconCloudOff } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext } from 'react';
import { ApiError } from '../api/client.ts';
import { isOutage, isRefusal, reasonOf, useFailures, useSays } from './outages.ts';
import { SmallButton } from './rights.tsx';
import { Note } from './text.tsx';

type Props<T> = {
  query: UseQueryResult<T>;
  height?: number;
  /** In its place while it loads, if not rows of `height`. */
  waiting?: ReactNode;
  children: (data: T) => ReactNode;
};

/** Shows a query's data, its error or a placeholder. Old data stays after a failed reload (see `OutageNotice`). */
export function Loaded<T>({ query, height, waiting, children }: Props<T>) {
  if (query.data !== undefined && !isRefusal(query.error)) return <>{children(query.data)}</>;
  if (query.error) return <Failed error={query.error} retry={() => void query.refetch()} height={height} />;
  if (waiting !== undefined) return <>{waiting}</>;
  return <Loading {...(height === undefined ? {} : { height })} />;
}

const rowHeight = 44;
const widths = ['38%', '52%', '31%', '45%'];

/** Placeholder rows, together as tall as the result, so that nothing jumps. */
export function Loading({ height = 240 }: { height?: number }) {
  const rows = Array.from({ length: Math.max(1, Math.round(height / rowHeight)) });
  return (
    <Stack gap={0} h={height} aria-busy="true">
      <VisuallyHidden role="status">Loading</VisuallyHidden>
      {rows.map((_, index) => (
        <Group key={index} flex={1} mih={0} justify="space-between" wrap="nowrap" className="loading-row">
          <Skeleton height={14} w={widths[index % widths.length]!} />
          <Skeleton height={14} w="12%" />
        </Group>
      ))}
    </Stack>
  );
}

const refusals: Record<number, string> = {
  403: 'No access',
  404: 'Not found',
};

export function isNotFound(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** Whether the question itself is invalid, such as a filter in an old link. */
export function isWrong(error: Error | null): error is ApiError {
  return error instanceof ApiError && error.status === 400;
}

/** Whether the frame explains failed queries and offers a retry (see `OutageNotice`). */
export const FrameSaysWhy = createContext(false);

type FailedProps = {
  error: Error;
  retry?: () => void;
  /** Height in pixels of the content that it replaces. */
  height?: number | undefined;
};

export function Failed({ error, retry, height }: FailedProps) {
  const isSaid = useContext(FrameSaysWhy);
  if (isSaid && retry && isOutage(error)) return <Outage error={error} retry={retry} height={height} />;
  if (isRefusal(error))
    return (
      <Alert color="gray" variant="outline" title={refusals[error.status]} role="note">
        {error.message}
      </Alert>
    );
  const requestId = error instanceof ApiError ? error.requestId : null;
  return (
    <Alert color="red" variant="outline" title="Failed to load" role="alert">
      <Stack gap="xs">
        <Text size="sm">{error.message}</Text>
        <Group gap="sm">
          {retry && <SmallButton onClick={retry}>Try again</SmallButton>}
          {requestId && (
            <Note size="xs">
              Request <Code>{requestId}</Code>
            </Note>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}

/**
 * Explains the failure and offers a retry. If several parts failed for the same reason, the frame does that instead.
 */
function Outage({
  error,
  retry,
  height,
}: Required<Omit<FailedProps, 'height'>> & Pick<FailedProps, 'height'>) {
  const isAlone = useFailures(
    (failed) => failed.filter(({ state }) => state.error?.message === error.message).length < 2,
  );
  const isRetrying = useFailures((failed) =>
    failed.some(({ state }) => state.error === error && state.fetchStatus === 'fetching'),
  );
  useSays(isAlone ? error : null);
  return (
    <Stack className="failed" gap={6} align="center" justify="center" ta="center" mih={height ?? 120}>
      <IconCloudOff size={22} stroke={1.5} aria-hidden />
      <span>{isAlone ? `Failed to load: ${reasonOf(error)}` : 'Failed to load'}</span>
      {isAlone && (
        <SmallButton loading={isRetrying} onClick={retry}>
          Try again
        </SmallButton>
      )}
    </Stack>
  );
}

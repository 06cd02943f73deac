import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { IconCloudOff } from '@tabler/icons-react';
import { createContext, useContext } from 'react';
import { ApiError } from '../api/client.ts';

const refusals: Record<number, string> = {
  403: 'No access',
  404: 'Not found',
};

/** Whether the server's answer is final, so that a retry is no use. */
export function isRefusal(error: Error | null): error is ApiError {
  return error instanceof ApiError && error.status in refusals;
}

export function isNotFound(error: Error | null): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** Whether the question itself is wrong, such as a filter of an old link. */
export function isWrong(error: Error | null): error is ApiError {
  return error instanceof ApiError && error.status === 400;
}

/** Whether the server could not answer, which has one cause for all parts of a page. */
export function isOutage(error: Error | null): error is ApiError {
  return error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);
}

/** Whether the frame says why queries fail, and offers to retry them (see `OutageNotice`). */
export const FrameSaysWhy = createContext(false);

type Props = {
  error: Error;
  retry?: () => void;
  /** In pixels, of what it stands for. */
  height?: number | undefined;
};

export function Failed({ error, retry, height }: Props) {
  const isSaid = useContext(FrameSaysWhy);
  if (isSaid && retry && isOutage(error))
    return (
      <Stack className="failed" gap={6} align="center" justify="center" mih={height ?? 120}>
        <IconCloudOff size={22} stroke={1.5} aria-hidden />
        <span>Failed to load</span>
      </Stack>
    );
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
          {retry && (
            <Button size="compact-sm" variant="default" onClick={retry}>
              Try again
            </Button>
          )}
          {requestId && (
            <Text size="xs" c="dimmed">
              Request <Code>{requestId}</Code>
            </Text>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}

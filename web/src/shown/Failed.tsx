import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core';
import { ApiError } from '../api/client.ts';

/** What went wrong, with what finds it in the server's log, and a way to try again. */
export function Failed({ error, retry }: { error: Error; retry?: () => void }) {
  const requestId = error instanceof ApiError ? error.requestId : null;
  return (
    <Alert color="red" variant="outline" title="This could not be loaded" role="alert">
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

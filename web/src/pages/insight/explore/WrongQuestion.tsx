import { Alert, Anchor, List, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { ApiError } from '../../../api/client.ts';
import { Failed } from '../../../ui/Failed.tsx';

/** Names the parameters that the server refused, and what each must be. */
export function WrongQuestion({ error, retry }: { error: Error; retry: () => void }) {
  if (!(error instanceof ApiError) || error.status !== 400) return <Failed error={error} retry={retry} />;
  const fields = Object.entries(error.fields);
  return (
    <Alert color="red" variant="outline" title="This question cannot be answered" role="alert">
      <Stack gap="xs">
        {fields.length === 0 ? (
          <Text size="sm">{error.message}</Text>
        ) : (
          <List size="sm">
            {fields.map(([path, message]) => (
              <List.Item key={path}>
                <b>{path.replace(/^query\./, '')}</b> {message}
              </List.Item>
            ))}
          </List>
        )}
        <Text size="sm">
          Change it above, or{' '}
          <Anchor component={Link} href="/explore" inherit underline="always">
            start again
          </Anchor>
          .
        </Text>
      </Stack>
    </Alert>
  );
}

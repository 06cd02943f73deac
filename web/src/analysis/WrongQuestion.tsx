import { Alert, Anchor, List, Stack, Text } from '@mantine/core';
import { Link } from 'wouter';
import { ApiError } from '../api/client.ts';
import { Failed } from '../ui/Failed.tsx';

type Props = {
  path: string;
  error: Error;
  retry: () => void;
};

/** Names the parameters that the server refused, and what each must be. */
export function WrongQuestion({ path, error, retry }: Props) {
  if (!(error instanceof ApiError) || error.status !== 400)
    return <Failed error={error} retry={retry} height={320} />;
  const fields = Object.entries(error.fields);
  return (
    <Alert color="red" variant="outline" title="This question cannot be answered" role="alert">
      <Stack gap="xs">
        {fields.length === 0 ? (
          <Text size="sm">{error.message}</Text>
        ) : (
          <List size="sm">
            {fields.map(([field, message]) => (
              <List.Item key={field}>
                <b>{field.replace(/^query\./, '')}</b> {message}
              </List.Item>
            ))}
          </List>
        )}
        <Text size="sm">
          Change it above, or{' '}
          <Anchor component={Link} href={path} inherit underline="always">
            start again
          </Anchor>
          .
        </Text>
      </Stack>
    </Alert>
  );
}

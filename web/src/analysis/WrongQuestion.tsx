import { Alert, Stack, Text } from '@mantine/core';
import { ApiError } from '../api/client.ts';
import { Failed } from '../ui/Loaded.tsx';
import { InText } from '../ui/text.tsx';

type Props = {
  path: string;
  error: Error;
  retry: () => void;
};

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
          <Text component="ul" size="sm" my={0} ps="md">
            {fields.map(([field, message]) => (
              <li key={field}>
                <b>{field.replace(/^query\./, '')}</b> {message}
              </li>
            ))}
          </Text>
        )}
        <Text size="sm">
          Change it above, or <InText href={path}>start again</InText>.
        </Text>
      </Stack>
    </Alert>
  );
}

import { Alert, Anchor, List, Stack, Text } from '@mantine/core';
import { When } from '../../../ui/When.tsx';
import type { DetailedWebhook } from './queries.ts';
import { adviceFor, lastErrorInWords, statusWords, type LastError } from './words.ts';

type Props = { webhook: DetailedWebhook; onResendMany: () => void };

export function Failing({ webhook: { health }, onResendMany }: Props) {
  const error = health.last_error as LastError | null;
  return (
    <Alert
      color="red"
      variant="outline"
      title="Deliveries are failing"
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
    >
      <Stack gap="xs" maw={860} style={{ overflowWrap: 'anywhere' }}>
        <Text size="sm">
          Failing since <When at={health.failing_since} full />, when all five attempts of a delivery failed.
          {error && (
            <>
              {' '}
              Latest error, <When at={error.at} />: <strong>{lastErrorInWords(error)}</strong>.
            </>
          )}
        </Text>
        <Text size="sm">{statusWords.failing}</Text>
        <List size="sm" type="ordered" spacing={4}>
          {error && <List.Item>{adviceFor(error)}</List.Item>}
          <List.Item>Click a delivery below to see its attempts and responses.</List.Item>
          <List.Item>Click “Ping”. When it arrives, the webhook is active again.</List.Item>
          <List.Item>
            <Anchor component="button" type="button" inherit underline="always" onClick={onResendMany}>
              Resend
            </Anchor>{' '}
            the failed deliveries. We do not resend them automatically.
          </List.Item>
        </List>
      </Stack>
    </Alert>
  );
}

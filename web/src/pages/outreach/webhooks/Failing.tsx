import { Alert, Anchor, List, Stack, Text } from '@mantine/core';
import { When } from '../../../ui/When.tsx';
import type { DetailedWebhook } from './queries.ts';
import { adviceFor, lastErrorInWords, statusWords, type LastError } from './words.ts';

type Props = { webhook: DetailedWebhook; onSendMany: () => void };

/** Why a webhook is failing, and how it comes out of that. */
export function Failing({ webhook: { health }, onSendMany }: Props) {
  const error = health.last_error as LastError | null;
  return (
    <Alert
      color="red"
      variant="outline"
      title="Deliveries fail"
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
    >
      <Stack gap="xs" maw={860} style={{ overflowWrap: 'anywhere' }}>
        <Text size="sm">
          Failing since <When at={health.failing_since} full />, when a delivery had failed all five attempts.
          {error && (
            <>
              {' '}
              The latest error, <When at={error.at} />: <strong>{lastErrorInWords(error)}</strong>.
            </>
          )}
        </Text>
        <Text size="sm">{statusWords.failing}</Text>
        <List size="sm" type="ordered" spacing={4}>
          {error && <List.Item>{adviceFor(error)}</List.Item>}
          <List.Item>
            “Show” beside a delivery below tells how each of its attempts went, and what was answered.
          </List.Item>
          <List.Item>Press “Ping”: once it arrives, the webhook is active again.</List.Item>
          <List.Item>
            <Anchor component="button" type="button" inherit underline="always" onClick={onSendMany}>
              Send again
            </Anchor>{' '}
            what has failed meanwhile: that is not done by itself.
          </List.Item>
        </List>
      </Stack>
    </Alert>
  );
}

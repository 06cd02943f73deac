import { Group, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { TestOutcome } from '../../../parts/channels/TestOutcome.tsx';
import { countOf } from '../../../ui/figures.ts';
import { FormError } from '../../../ui/FormError.tsx';
import { SmallButton } from '../../../ui/rights.tsx';
import { type AlertFields, scopeError, settingsOf } from './alertFields.ts';
import { Warnings } from './AlertParts.tsx';
import { type Notified, useReach, useTestAlert } from './alertQueries.ts';
import { reachInWords } from './words.ts';

/** Whom the alert notifies, before it is saved, and a test message to them. */
export function Reach({ fields }: { fields: AlertFields }) {
  const [asked] = useDebouncedValue(JSON.stringify(notifiedOf(fields)), 250);
  const notified = JSON.parse(asked) as Notified;
  const { data, error } = useReach(notified);
  const test = useTestAlert();
  const isNobody = data?.reaches.length === 0;
  return (
    <Stack gap="xs" mih={58}>
      <Group gap="sm" justify="space-between">
        <Text size="sm" role="status" fw={600} flex="1 1 200px" style={{ overflowWrap: 'anywhere' }}>
          {error ? 'Enter whole email addresses to see who is notified.' : data && reachInWords(data.reaches)}
        </Text>
        <SmallButton
          disabled={!data || isNobody || error !== null}
          loading={test.isPending}
          onClick={() => test.mutate(notified)}
        >
          Send a test message
        </SmallButton>
      </Group>
      {data && !error && <Warnings warnings={data.warnings} />}
      <FormError error={test.error} fields={[]} />
      <TestOutcome outcome={test.data} recipient={countOf(test.data?.count ?? 0, 'receiver')} />
    </Stack>
  );
}

function notifiedOf(fields: AlertFields): Notified {
  const { scope, notify_email, notify_chat, channel_ids, recipients } = settingsOf(fields, 0);
  return {
    notify_email,
    notify_chat,
    channel_ids,
    recipients,
    ...(scopeError(fields) === null && { scope }),
  };
}

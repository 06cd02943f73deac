import { Anchor, Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { When } from '../../../ui/When.tsx';
import { breaking, Columns, WideTable } from '../../../ui/WideTable.tsx';
import { webhookQuery, type Webhook } from './queries.ts';
import { lastErrorInWords, statusWords, type LastError } from './words.ts';

/** Each one takes a request. */
const maxExplained = 8;

export function WebhookTable({ webhooks }: { webhooks: Webhook[] }) {
  const asked = webhooks
    .filter((webhook) => !isHealthy(webhook))
    .slice(0, maxExplained)
    .map(({ id }) => id);
  return (
    <WideTable label="Webhooks" minWidth={860}>
      <Columns texts={['URL', 'Events', 'Status', 'Last delivery', 'Failing since']} />
      <tbody>
        {webhooks.map((webhook) => (
          <Row key={webhook.id} webhook={webhook} isExplained={asked.includes(webhook.id)} />
        ))}
      </tbody>
    </WideTable>
  );
}

function isHealthy({ status, last_delivery_status: last }: Webhook): boolean {
  return status === 'active' && (last === null || last === 'success');
}

type RowProps = { webhook: Webhook; isExplained: boolean };

function Row({ webhook, isExplained }: RowProps) {
  return (
    <tr style={{ verticalAlign: 'top' }}>
      <th scope="row" style={{ ...breaking, minWidth: 260 }}>
        <Anchor component={Link} href={`/webhooks/${webhook.id}`} size="sm" fw={500} className="row-link">
          {webhook.url}
        </Anchor>
      </th>
      <td>
        <Group gap={4}>
          {webhook.events.map((event) => (
            <Code key={event}>{event}</Code>
          ))}
        </Group>
      </td>
      <td style={breaking}>
        <Stack gap={4} align="flex-start">
          <StatusBadge status={webhook.status} />
          <Reason webhook={webhook} isExplained={isExplained} />
        </Stack>
      </td>
      <td>
        <Stack gap={4} align="flex-start">
          {webhook.last_delivery_status && <StatusBadge status={webhook.last_delivery_status} />}
          <Text size="sm">
            {webhook.last_delivery_at ? <When at={webhook.last_delivery_at} /> : 'none yet'}
            {webhook.last_response_code !== null && `, HTTP ${webhook.last_response_code}`}
          </Text>
          <RetryAt webhook={webhook} />
        </Stack>
      </td>
      <td>
        <When at={webhook.failing_since} />
      </td>
    </tr>
  );
}

export function RetryAt({ webhook }: { webhook: Webhook }) {
  const { status, last_delivery_status: last, next_attempt_at: at } = webhook;
  if (last !== 'failed' || status === 'paused' || at === null) return null;
  return (
    <Text size="sm">
      Failing, retry at <When at={at} full />
    </Text>
  );
}

/** The reason for the status. Only the webhook's own resource has it in full. */
function Reason({ webhook, isExplained }: RowProps) {
  const { data } = useQuery({
    ...webhookQuery(webhook.id),
    enabled: isExplained,
    refetchInterval: 60_000,
  });
  const error = (data?.health.last_error ?? null) as LastError | null;
  return (
    <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
      {webhook.status === 'failing'
        ? `All five attempts of a delivery failed.${error ? ` Latest error: ${lastErrorInWords(error)}.` : ''}`
        : (data?.health.status_reason ?? statusWords[webhook.status])}
    </Text>
  );
}

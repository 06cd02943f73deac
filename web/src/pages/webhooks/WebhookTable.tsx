import { Anchor, Code, Group, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { StatusBadge } from '../../shown/StatusBadge.tsx';
import { When } from '../../shown/When.tsx';
import { breaking, Columns, WideTable } from '../../shown/WideTable.tsx';
import { webhookQuery, type Webhook } from './queries.ts';
import { statusWords } from './words.ts';

export function WebhookTable({ webhooks }: { webhooks: Webhook[] }) {
  return (
    <WideTable label="Webhooks" minWidth={860}>
      <Columns texts={['URL', 'Events', 'Status', 'Last delivery', 'Failing since']} />
      <Table.Tbody>
        {webhooks.map((webhook) => (
          <Row key={webhook.id} webhook={webhook} />
        ))}
      </Table.Tbody>
    </WideTable>
  );
}

function Row({ webhook }: { webhook: Webhook }) {
  return (
    <Table.Tr style={{ verticalAlign: 'top' }}>
      <Table.Th scope="row" fw={400} style={breaking}>
        <Anchor component={Link} href={`/webhooks/${webhook.id}`} size="sm" fw={500} className="row-link">
          {webhook.url}
        </Anchor>
      </Table.Th>
      <Table.Td>
        <Group gap={4}>
          {webhook.events.map((event) => (
            <Code key={event}>{event}</Code>
          ))}
        </Group>
      </Table.Td>
      <Table.Td style={breaking}>
        <Stack gap={4} align="flex-start">
          <StatusBadge status={webhook.status} />
          <Reason webhook={webhook} />
        </Stack>
      </Table.Td>
      <Table.Td>
        <Stack gap={4} align="flex-start">
          {webhook.last_delivery_status && <StatusBadge status={webhook.last_delivery_status} />}
          <Text size="sm">
            {webhook.last_delivery_at ? <When at={webhook.last_delivery_at} /> : 'none yet'}
          </Text>
        </Stack>
      </Table.Td>
      <Table.Td>
        <When at={webhook.failing_since} />
      </Table.Td>
    </Table.Tr>
  );
}

/** Why it has its status. Where not all is well it is told in full, which only the webhook itself knows. */
function Reason({ webhook }: { webhook: Webhook }) {
  const { status, last_delivery_status: last } = webhook;
  const isWell = status === 'active' && (last === null || last === 'success');
  const { data } = useQuery({
    ...webhookQuery(webhook.id),
    enabled: !isWell,
    refetchInterval: 30_000,
  });
  return (
    <Text size="sm" c="dimmed">
      {data?.health.status_reason ?? statusWords[webhook.status]}
    </Text>
  );
}

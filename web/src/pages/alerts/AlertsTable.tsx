import { Anchor, Card, Group, Table, Text } from '@mantine/core';
import { Link } from 'wouter';
import { StatusBadge } from '../../shown/StatusBadge.tsx';
import { When } from '../../shown/When.tsx';
import { WideTable } from '../../shown/WideTable.tsx';
import { CheckNow } from './CheckNow.tsx';
import { DeleteAlert } from './DeleteAlert.tsx';
import { EditLink } from './EditLink.tsx';
import { EnabledSwitch } from './EnabledSwitch.tsx';
import type { ListedAlert } from './types.ts';
import { checkedInWords, ruleInWords, stateOf } from './words.ts';

export function AlertsTable({ alerts }: { alerts: ListedAlert[] }) {
  return (
    <Card withBorder p={0}>
      <WideTable
        label="Alerts"
        minWidth={1100}
        verticalSpacing="sm"
        horizontalSpacing="md"
        style={{ whiteSpace: 'normal' }}
      >
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Name</Table.Th>
            <Table.Th scope="col">Rule</Table.Th>
            <Table.Th scope="col">Checked</Table.Th>
            <Table.Th scope="col">State</Table.Th>
            <Table.Th scope="col">Last triggered</Table.Th>
            <Table.Th scope="col">On</Table.Th>
            <Table.Th scope="col">Actions</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {alerts.map((alert) => (
            <AlertRow key={alert.id} alert={alert} />
          ))}
        </Table.Tbody>
      </WideTable>
    </Card>
  );
}

function AlertRow({ alert }: { alert: ListedAlert }) {
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400} miw={180} maw={360}>
        <Anchor
          component={Link}
          href={`/alerts/${alert.id}`}
          className="row-link"
          fw={600}
          c="inherit"
          style={{ overflowWrap: 'anywhere' }}
        >
          {alert.name}
        </Anchor>
        <Text size="xs" c="dimmed">
          {alert.alert_type === 'budget' ? 'Budget' : 'Anomaly'}
          {alert.notify_email ? '' : ', no email'}
        </Text>
      </Table.Th>
      <Table.Td miw={180}>{ruleInWords(alert)}</Table.Td>
      <Table.Td miw={110}>{checkedInWords(alert.check_frequency)}</Table.Td>
      <Table.Td miw={210}>
        <StatusBadge status={stateOf(alert)} />
      </Table.Td>
      <Table.Td miw={140}>
        {alert.last_triggered_at === null ? 'never' : <When at={alert.last_triggered_at} />}
      </Table.Td>
      <Table.Td>
        <EnabledSwitch alert={alert} />
      </Table.Td>
      <Table.Td>
        <Group gap={6} wrap="nowrap">
          <CheckNow alert={alert} />
          <EditLink alert={alert} />
          <DeleteAlert alert={alert} />
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

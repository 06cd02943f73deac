import { Anchor, Box, Card, Group, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Link } from 'wouter';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { When } from '../../../ui/When.tsx';
import { WideTable } from '../../../ui/WideTable.tsx';
import { CheckNow } from './CheckNow.tsx';
import { DeleteAlert } from './DeleteAlert.tsx';
import { EditLink } from './EditLink.tsx';
import { EnabledSwitch } from './EnabledSwitch.tsx';
import type { ListedAlert } from './types.ts';
import { checkedInWords, ruleInWords, scopeInWords, stateOf } from './words.ts';

/** A table; on small screens, where its last columns would be out of view, cards. */
export function AlertsTable({ alerts }: { alerts: ListedAlert[] }) {
  const isNarrow = useMediaQuery('(width < 62em)', false, { getInitialValueInEffect: false });
  if (isNarrow) {
    return (
      <Stack component="ul" gap="sm" p={0} m={0} style={{ listStyle: 'none' }} aria-label="Alerts">
        {alerts.map((alert) => (
          <AlertCard key={alert.id} alert={alert} />
        ))}
      </Stack>
    );
  }
  return (
    <Card withBorder p={0}>
      <WideTable label="Alerts" minWidth={880} wraps>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">State</th>
            <th scope="col">Rule</th>
            <th scope="col">Last triggered</th>
            <th scope="col">On</th>
            <th scope="col">Actions</th>
          </tr>
        </thead>
        <tbody>
          {alerts.map((alert) => (
            <AlertRow key={alert.id} alert={alert} />
          ))}
        </tbody>
      </WideTable>
    </Card>
  );
}

function AlertRow({ alert }: { alert: ListedAlert }) {
  return (
    <tr>
      <th scope="row" style={{ minWidth: 180, maxWidth: 360 }}>
        <NameAndType alert={alert} />
      </th>
      <td style={{ minWidth: 150 }}>
        <StatusBadge status={stateOf(alert)} />
      </td>
      <td style={{ minWidth: 160 }}>
        {ruleInWords(alert)}
        <Text size="xs" c="dimmed">
          checked {checkedInWords(alert.check_frequency)}
        </Text>
      </td>
      <td style={{ minWidth: 110 }}>
        <LastTriggered alert={alert} />
      </td>
      <td>
        <EnabledSwitch alert={alert} />
      </td>
      <td>
        <Actions alert={alert} />
      </td>
    </tr>
  );
}

function AlertCard({ alert }: { alert: ListedAlert }) {
  return (
    <Card withBorder component="li" p="sm">
      <Stack gap="xs">
        <Group justify="space-between" align="flex-start" wrap="nowrap">
          <Box miw={0}>
            <NameAndType alert={alert} />
          </Box>
          <StatusBadge status={stateOf(alert)} />
        </Group>
        <Text size="sm">
          {ruleInWords(alert)}, checked {checkedInWords(alert.check_frequency)}. Last triggered:{' '}
          <LastTriggered alert={alert} />
        </Text>
        <Group justify="space-between" gap="xs">
          <EnabledSwitch alert={alert} />
          <Actions alert={alert} />
        </Group>
      </Stack>
    </Card>
  );
}

function NameAndType({ alert }: { alert: ListedAlert }) {
  const scope = scopeInWords(alert.scope);
  return (
    <>
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
        {scope === null ? '' : ` for ${scope}`}
        {alert.notify_email ? '' : ', no email'}
      </Text>
      {alert.snoozed_until !== null && (
        <Text size="xs" c="dimmed">
          Snoozed until <When at={alert.snoozed_until} isNext />
        </Text>
      )}
    </>
  );
}

function LastTriggered({ alert }: { alert: ListedAlert }) {
  return alert.last_triggered_at === null ? 'never' : <When at={alert.last_triggered_at} />;
}

function Actions({ alert }: { alert: ListedAlert }) {
  return (
    <Group gap={6} wrap="nowrap">
      <CheckNow alert={alert} />
      <EditLink alert={alert} />
      <DeleteAlert alert={alert} />
    </Group>
  );
}

import { Box, Card, Group, Stack, Text } from '@mantine/core';
import { useContext, useState } from 'react';
import { useLocation } from 'wouter';
import { alertType } from '../../../alerts/alertTypes.ts';
import { byStanding, standings, standingOf, type Standing } from '../../../alerts/budgets.ts';
import { openRiseOf } from '../../../alerts/triggerWords.ts';
import type { ListedAlert, Measurement } from '../../../alerts/types.ts';
import { ruleInWords, scopeInWords, spanInWords, standingInWords } from '../../../alerts/words.ts';
import { useMediaQuery } from '../../../ui/browserFacts.ts';
import type { Column } from '../../../ui/columns.ts';
import { CsvButton } from '../../../ui/CsvButton.tsx';
import { DataTable } from '../../../ui/DataTable.tsx';
import { countOf, sentence } from '../../../ui/figures.ts';
import { Note } from '../../../ui/Note.tsx';
import { RowMenu } from '../../../ui/RowMenu.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { TextLink } from '../../../ui/TextLink.tsx';
import { When } from '../../../ui/When.tsx';
import { useWhyNoChange } from './alertQueries.ts';
import { CheckNow } from './CheckNow.tsx';
import { ConfirmDeletion } from './DeleteAlert.tsx';
import { EnabledSwitch } from './EnabledSwitch.tsx';
import { LastTriggered } from './LastTriggered.tsx';
import { GaugeKeys, Measured, MeasurementsContext } from './Measured.tsx';
import { NextCheck } from './NextCheck.tsx';
import { checkedInWords } from './words.ts';

type Row = { alert: ListedAlert; measured: Measurement | undefined; standing: Standing };

/** A table, or cards on small screens, where its last columns would be out of view. */
export function AlertsTable({ alerts }: { alerts: ListedAlert[] }) {
  const isNarrow = useMediaQuery('(width < 62em)');
  const measurements = useContext(MeasurementsContext);
  const mayChange = useWhyNoChange() === null;
  const rows = byStanding(
    alerts.map((alert): Row => {
      const measured = typeof measurements === 'string' ? undefined : measurements.get(alert.id);
      return { alert, measured, standing: standingOf(alert, measured) };
    }),
  );
  const hasGauges = rows.some(({ measured }) => measured?.forecast);
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Note flex={1}>{summaryOf(rows)}</Note>
        {hasGauges && !isNarrow && <GaugeKeys />}
        <CsvButton rows={rows} columns={csvColumns} name="alerts" />
      </Group>
      {hasGauges && isNarrow && <GaugeKeys />}
      {isNarrow ? (
        <Stack component="ul" className="alerts-phone" gap="sm" p={0} m={0} aria-label="Alerts">
          {rows.map((row) => (
            <AlertCard key={row.alert.id} row={row} />
          ))}
        </Stack>
      ) : (
        <Card withBorder p={0}>
          <DataTable
            label="Alerts"
            minWidth={640}
            rows={rows}
            columns={mayChange ? [...columns, actions] : columns}
            keyOf={({ alert }) => alert.id}
            hrefOf={({ alert }) => `/alerts/${alert.id}`}
          />
        </Card>
      )}
    </Stack>
  );
}

const columns: Column<Row>[] = [
  {
    title: 'Alert',
    cell: ({ alert }) => <NameAndScope alert={alert} />,
    value: ({ alert }) => alert.name,
    className: 'alert-name',
  },
  {
    title: 'State',
    cell: ({ standing, alert }) => <StatusBadge status={standingInWords(standing, alert)} />,
    value: ({ standing }) => standings.indexOf(standing),
    csv: ({ standing, alert }) => standingInWords(standing, alert),
  },
  {
    title: 'Now',
    cell: ({ alert }) => <Measured alert={alert} />,
    value: (row) => {
      const seen = seenBy(row);
      return seen && seen.current_value / seen.threshold_value;
    },
    csv: (row) => String(seenBy(row)?.current_value ?? ''),
  },
  {
    title: 'Checked',
    cell: ({ alert }) => <Checked alert={alert} />,
    value: ({ alert }) => (alert.enabled ? checkedInWords(alert.check_frequency) : null),
    className: 'mantine-visible-from-lg',
  },
  {
    title: 'Triggered',
    cell: (row) => <LastTriggered {...row} />,
    value: ({ alert }) => alert.last_triggered_at,
    className: 'mantine-visible-from-lg',
  },
  {
    title: 'On',
    cell: ({ alert }) => <EnabledSwitch alert={alert} />,
    value: ({ alert }) => (alert.enabled ? 'yes' : 'no'),
  },
];

const actions: Column<Row> = { title: 'Actions', cell: ({ alert }) => <Actions alert={alert} /> };

/** The CSV adds the whole rule, which other columns show in parts. */
const csvColumns: Column<Row>[] = [
  ...columns,
  { title: 'Rule', cell: () => null, csv: ({ alert }) => ruleInWords(alert) },
];

function seenBy({ alert, measured }: Row) {
  return openRiseOf(alert, measured) ?? (measured?.insufficient_data ? null : (measured ?? null));
}

function summaryOf(rows: readonly Row[]): string {
  const counted = standings.flatMap((standing) => {
    const { length } = rows.filter((row) => row.standing === standing);
    return length === 0 ? [] : [`${length} ${standingInWords(standing, null)}`];
  });
  return `${countOf(rows.length, 'alert')}: ${counted.join(', ')}`;
}

function AlertCard({ row: { alert, standing } }: { row: Row }) {
  return (
    <Card withBorder component="li" p="sm">
      <Stack gap="xs">
        <Group justify="space-between" align="flex-start" wrap="nowrap">
          <Box miw={0}>
            <NameAndScope alert={alert} />
          </Box>
          <StatusBadge status={standingInWords(standing, alert)} />
        </Group>
        <Measured alert={alert} />
        <Group justify="space-between" gap="xs" wrap="nowrap">
          <EnabledSwitch alert={alert} />
          <Text component="div" size="xs" c="dimmed" flex={1} truncate>
            <CardState alert={alert} standing={standing} />
          </Text>
          <Actions alert={alert} />
        </Group>
      </Stack>
    </Card>
  );
}

function NameAndScope({ alert }: { alert: ListedAlert }) {
  const scope = scopeInWords(alert.scope) ?? 'all CI';
  const kind = `${alertType(alert.alert_type).title} ${spanInWords(alert)}`;
  return (
    <>
      <TextLink
        href={`/alerts/${alert.id}`}
        className="row-link"
        fw={600}
        c="inherit"
        style={{ overflowWrap: 'anywhere' }}
      >
        {alert.name}
      </TextLink>
      <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {kind}, {scope}
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

function Checked({ alert }: Pick<Row, 'alert'>) {
  if (!alert.enabled) return '–';
  return (
    <>
      {sentence(checkedInWords(alert.check_frequency))}
      <Text component="div" size="xs" c="dimmed">
        next <NextCheck alert={alert} />
      </Text>
    </>
  );
}

function CardState({ alert, standing }: Pick<Row, 'alert' | 'standing'>) {
  if (alert.last_triggered_at !== null)
    return (
      <>
        Triggered <When at={alert.last_triggered_at} />
      </>
    );
  return standing === 'over' ? 'Not triggered yet' : null;
}

function Actions({ alert }: { alert: ListedAlert }) {
  const [isDeleting, setIsDeleting] = useState(false);
  const [, navigate] = useLocation();
  const reason = useWhyNoChange();
  return (
    <Group gap="xs" wrap="nowrap">
      {alert.enabled && <CheckNow alert={alert} isIcon />}
      {reason === null && (
        <RowMenu
          of={alert.name}
          items={[
            { label: 'Edit', onClick: () => navigate(`/alerts/${alert.id}/edit`) },
            { label: 'Delete', onClick: () => setIsDeleting(true) },
          ]}
        />
      )}
      {isDeleting && <ConfirmDeletion alert={alert} onClose={() => setIsDeleting(false)} />}
    </Group>
  );
}

import { Button, Card, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { Keys } from '../../../charts/Legend.tsx';
import { alertType, alertTypes } from '../../../parts/alerts/alertTypes.ts';
import { byStanding, type Standing, standingOf, standings } from '../../../parts/alerts/budgets.ts';
import { useAlerts, useMeasurements } from '../../../parts/alerts/queries.ts';
import { openRiseOf } from '../../../parts/alerts/triggerWords.ts';
import type { DescribedType, ListedAlert, Measurement } from '../../../parts/alerts/types.ts';
import { ruleInWords, scopeInWords, spanInWords, standingInWords } from '../../../parts/alerts/words.ts';
import type { Column } from '../../../ui/columns.ts';
import { CsvButton } from '../../../ui/CsvButton.tsx';
import { DataTable } from '../../../ui/DataTable.tsx';
import { countOf, sentence } from '../../../ui/figures.ts';
import { Failed, Loaded, Loading } from '../../../ui/Loaded.tsx';
import { isOutage, isRefusal } from '../../../ui/outages.ts';
import { PageTitle, SectionTitle } from '../../../ui/Panel.tsx';
import { RightsNote } from '../../../ui/rights.tsx';
import { ConfirmRemoval } from '../../../ui/rowActions.tsx';
import { RowMenu } from '../../../ui/RowMenu.tsx';
import { Note, StatusBadge, TextLink, When } from '../../../ui/text.tsx';
import { EnabledSwitch, LastTriggered, NextCheck } from './AlertParts.tsx';
import { type PreviewedRule, removal, usePreview, useWhyNoChange } from './alertQueries.ts';
import { CheckNow } from './CheckNow.tsx';
import { Measured } from './Measured.tsx';
import { checkedInWords } from './words.ts';

export function Page() {
  const alerts = useAlerts();
  const measured = useMeasurements();
  const reason = useWhyNoChange();
  return (
    <>
      <PageTitle title="Budgets and alerts" about="Get notified when CI costs too much.">
        {reason === null && (
          <Button
            component={Link}
            href="/alerts/new"
            variant={alerts.data?.length === 0 ? 'default' : 'filled'}
          >
            New alert
          </Button>
        )}
      </PageTitle>
      <RightsNote reason={reason} />
      {/* The frame explains an outage. A refusal also covers the alerts below. */}
      {measured.error && !measured.data && !isRefusal(measured.error) && !isOutage(measured.error) && (
        <Failed error={measured.error} retry={() => void measured.refetch()} />
      )}
      {measured.isPending && alerts.data?.length !== 0 && !alerts.error ? (
        // The amounts decide the order, so the list waits for them and does not jump.
        <Loading height={480} />
      ) : (
        <Loaded query={alerts} height={480}>
          {(list) =>
            list.length === 0 ? <NoAlerts /> : <AlertsTable alerts={list} measurements={measured.data} />
          }
        </Loaded>
      )}
    </>
  );
}

type Measurements = ReadonlyMap<string, Measurement> | undefined;
type Row = {
  alert: ListedAlert;
  measured: Measurement | undefined;
  measurements: Measurements;
  standing: Standing;
};

const gaugeKeys = [
  { kind: 'bar', title: 'So far', color: 'var(--series-1)' },
  { kind: 'band', title: 'Forecast', color: 'var(--series-1)' },
  { kind: 'limit', title: 'Threshold', color: 'var(--mantine-color-text)' },
] as const;

function AlertsTable({ alerts, measurements }: { alerts: ListedAlert[]; measurements: Measurements }) {
  const mayChange = useWhyNoChange() === null;
  const rows = byStanding(
    alerts.map((alert): Row => {
      const measured = measurements?.get(alert.id);
      return { alert, measured, measurements, standing: standingOf(alert, measured) };
    }),
  );
  const hasGauges = rows.some(({ measured }) => measured?.forecast);
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Note flex="1 1 200px">{summaryOf(rows)}</Note>
        {hasGauges && <Keys keys={gaugeKeys} />}
        <CsvButton rows={rows} columns={csvColumns} name="alerts" />
      </Group>
      <Card withBorder p={0}>
        <DataTable
          label="Alerts"
          minWidth={640}
          rows={rows}
          columns={mayChange ? [...columns, actions] : columns}
          keyOf={({ alert }) => alert.id}
          hrefOf={({ alert }) => `/alerts/${alert.id}`}
          isStacked
        />
      </Card>
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
    className: 'row-beside',
  },
  {
    title: 'Now',
    cell: ({ alert, measurements }) => <Measured alert={alert} measurements={measurements} />,
    value: (row) => {
      const seen = seenBy(row);
      return seen && seen.current_value / seen.threshold_value;
    },
    csv: (row) => String(seenBy(row)?.current_value ?? ''),
    className: 'alert-now',
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

function NameAndScope({ alert }: { alert: ListedAlert }) {
  const scope = scopeInWords(alert.scope) ?? 'all CI';
  const kind = `${alertType(alert).title} ${spanInWords(alert)}`.trimEnd();
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
      <Note size="xs" style={{ overflowWrap: 'anywhere' }}>
        {kind}, {scope}
        {alert.notify_email ? '' : ', no email'}
      </Note>
      {alert.snoozed_until !== null && (
        <Note size="xs">
          Snoozed until <When at={alert.snoozed_until} isNext />
        </Note>
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
      {isDeleting && <ConfirmRemoval row={alert} removal={removal} onClose={() => setIsDeleting(false)} />}
    </Group>
  );
}

const whole: Omit<PreviewedRule, 'alert_type'> = {
  measure: 'list_cost',
  scope: { type: 'organization' },
  threshold_amount: null,
  check_frequency: 'daily',
  period: 'month',
};

function NoAlerts() {
  return (
    <>
      <div>
        <SectionTitle>No alerts yet</SectionTitle>
        <Note>
          Get an email, a chat message, a page or a webhook when CI costs too much. Most teams start with
          these.
        </Note>
      </div>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {alertTypes().map((type) => (
          <Suggestion key={type.type} type={type} />
        ))}
      </SimpleGrid>
    </>
  );
}

function Suggestion({ type: { type, title, noun, about } }: { type: DescribedType }) {
  const rule = { ...whole, alert_type: type };
  const reason = useWhyNoChange();
  const preview = usePreview(rule);
  const suggested = preview.data?.suggested_threshold ?? null;
  const fields = { alert_type: rule.alert_type, check_frequency: rule.check_frequency };
  const threshold = suggested === null ? {} : { threshold_amount: String(suggested) };
  return (
    <Card withBorder component="section" aria-label={title} p="lg">
      <Stack gap="sm" h="100%">
        <SectionTitle>{title}</SectionTitle>
        <Text size="sm">{about}</Text>
        <Text
          size="sm"
          fw={suggested === null ? 400 : 600}
          {...(suggested === null && { c: 'dimmed' })}
          mih={22}
          mt="auto"
          aria-live="polite"
        >
          {preview.isPending
            ? 'Looking for a threshold …'
            : suggested === null
              ? 'Not enough history to suggest a threshold.'
              : `Suggested: ${ruleInWords({ ...rule, threshold_amount: suggested })}`}
        </Text>
        {reason === null && (
          <Group>
            <Button component={Link} href={`/alerts/new?${new URLSearchParams({ ...fields, ...threshold })}`}>
              Set up {noun} alert
            </Button>
          </Group>
        )}
      </Stack>
    </Card>
  );
}

import { Stack, Text } from '@mantine/core';
import { alertType } from '../../../parts/alerts/alertTypes.ts';
import { standingOf } from '../../../parts/alerts/budgets.ts';
import { useMeasurements } from '../../../parts/alerts/queries.ts';
import type { OneAlert, Trigger } from '../../../parts/alerts/types.ts';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { sentence } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { Empty, Panel } from '../../../ui/Panel.tsx';
import { InText, StatusBadge, TextLink, When } from '../../../ui/text.tsx';
import { pageIn, useAddress } from '../../../ui/useAddress.ts';
import { AlertValue, NextCheck, Threshold } from './AlertParts.tsx';
import { useTriggers, useWhyNoChange } from './alertQueries.ts';
import { TriggerDialog } from './TriggerDialog.tsx';
import { deliveryInWords, resolutionInWords } from './words.ts';

export function Triggers({ alert }: { alert: OneAlert }) {
  const [params, change] = useAddress();
  const page = pageIn(params);
  const triggerId = params.get('trigger');
  const triggers = useTriggers(alert.id, page);
  const close = () => change({ trigger: null, page: page > 1 ? String(page) : null });
  if (triggers.data?.pagination.total === 0) return <NoTriggers alert={alert} />;
  return (
    <Panel title="Triggers">
      <Loaded query={triggers} height={240}>
        {({ triggers: shown, pagination }) => (
          <Stack gap="sm">
            <TriggersTable
              alert={alert}
              triggers={shown}
              page={page}
              isPart={pagination.total > shown.length}
            />
            <Pager pagination={pagination} one="trigger" onPage={(next) => change({ page: String(next) })} />
          </Stack>
        )}
      </Loaded>
      {triggerId && <TriggerDialog alert={alert} triggerId={triggerId} onClose={close} />}
    </Panel>
  );
}

function NoTriggers({ alert }: { alert: OneAlert }) {
  const measured = useMeasurements().data?.get(alert.id);
  const mayChange = useWhyNoChange() === null;
  if (standingOf(alert, measured) === 'over')
    return (
      <Empty title="Over, but not triggered yet">
        An alert triggers when it is checked: next <NextCheck alert={alert} />, or now with “Check now”.
      </Empty>
    );
  return (
    <Empty title="No triggers yet">
      Each time the alert triggers, its cause is explained here.
      {mayChange && (
        <>
          {' '}
          <InText href={`/alerts/${alert.id}/edit`}>See when it would have triggered</InText> in the last 90
          days.
        </>
      )}
    </Empty>
  );
}

type TableProps = { alert: OneAlert; triggers: Trigger[]; page: number; isPart: boolean };

function TriggersTable({ alert, triggers, page, isPart }: TableProps) {
  const hrefOf = ({ id }: Trigger) => `/alerts/${alert.id}?trigger=${id}${page > 1 ? `&page=${page}` : ''}`;
  const columns: Column<Trigger>[] = [
    {
      title: 'Triggered',
      cell: (trigger) => (
        <TextLink href={hrefOf(trigger)} className="row-link" inherit fw={600} c="inherit">
          <When at={trigger.triggered_at} />
        </TextLink>
      ),
      value: ({ triggered_at }) => triggered_at,
    },
    {
      title: seenInWords(triggers),
      cell: (trigger) => <AlertValue kind={trigger} value={trigger.current_value} />,
      value: ({ current_value }) => current_value,
      isNumber: true,
      isMain: true,
    },
    {
      title: 'Threshold',
      cell: (trigger) => <Threshold kind={trigger} amount={trigger.threshold_value} />,
      value: ({ threshold_value }) => threshold_value,
      isNumber: true,
    },
    {
      title: 'State',
      isPlain: true,
      cell: (trigger) => <State trigger={trigger} />,
      value: ({ resolved_at }) => resolved_at,
      csv: ({ resolved_at }) => resolved_at ?? 'open',
    },
    {
      title: 'Email or channel',
      isHiddenOnPhones: true,
      cell: (trigger) => sentence(deliveryInWords(trigger)),
      value: (trigger) => deliveryInWords(trigger),
    },
    {
      title: 'Acknowledged',
      isHiddenOnPhones: true,
      cell: ({ acknowledgement: known, resolved_at: resolvedAt }) =>
        known ? (
          <>
            by {known.by}
            <Text component="div" size="xs" c="dimmed">
              <When at={known.at} />
            </Text>
          </>
        ) : resolvedAt === null ? (
          'Not yet'
        ) : (
          '–'
        ),
      value: ({ acknowledgement }) => acknowledgement?.by ?? null,
    },
  ];
  return (
    <DataTable
      label="Triggers, newest first"
      minWidth={720}
      isStacked
      isPart={isPart}
      rows={triggers}
      columns={columns}
      hrefOf={hrefOf}
    />
  );
}

/** Triggers of one alert can have different types, because an alert's type can change. */
function seenInWords(triggers: Trigger[]): string {
  const titles = new Set(triggers.map((trigger) => alertType(trigger).value_title));
  return sentence([...titles].map((title) => title.toLowerCase()).join(' or '));
}

function State({ trigger: { resolved_at, resolution } }: { trigger: Trigger }) {
  if (resolved_at === null) return <StatusBadge status="open" />;
  return (
    <>
      Resolved <When at={resolved_at} />
      {resolution && (
        <Text component="div" size="xs" c="dimmed">
          {resolutionInWords(resolution)}
        </Text>
      )}
    </>
  );
}

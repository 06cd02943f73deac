import { Button, Stack, Text } from '@mantine/core';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { pageIn, useAddress } from '../../../ui/useAddress.ts';
import { When } from '../../../ui/When.tsx';
import { WideTable } from '../../../ui/WideTable.tsx';
import { useTriggers } from './alertQueries.ts';
import { AlertValue, Threshold } from './AlertValue.tsx';
import { TriggerDialog } from './TriggerDialog.tsx';
import type { OneAlert, Trigger } from './types.ts';
import { resolutionInWords } from './words.ts';

export function Triggers({ alert }: { alert: OneAlert }) {
  const [params, change] = useAddress();
  const page = pageIn(params);
  const triggerId = params.get('trigger');
  const triggers = useTriggers(alert.id, page);
  const open = (trigger: string | null) => change({ trigger, page: page > 1 ? String(page) : null });
  return (
    <Panel title="Triggers">
      <Loaded query={triggers} height={240}>
        {({ triggers: shown, pagination }) =>
          pagination.total === 0 ? (
            <Text size="sm">No triggers yet. Edit the alert to preview the last 90 days.</Text>
          ) : (
            <Stack gap="sm">
              <TriggersTable triggers={shown} onOpen={open} />
              <Pager
                pagination={pagination}
                one="trigger"
                onPage={(next) => change({ page: String(next) })}
              />
            </Stack>
          )
        }
      </Loaded>
      {triggerId && <TriggerDialog alert={alert} triggerId={triggerId} onClose={() => open(null)} />}
    </Panel>
  );
}

type TableProps = { triggers: Trigger[]; onOpen: (id: string) => void };

function TriggersTable({ triggers, onOpen }: TableProps) {
  return (
    <WideTable label="Triggers, newest first" minWidth={840} wraps>
      <thead>
        <tr>
          <th scope="col">Triggered</th>
          <th scope="col" className="number">
            {seenInWords(triggers)}
          </th>
          <th scope="col" className="number">
            Threshold
          </th>
          <th scope="col">Resolved</th>
          <th scope="col">Notified</th>
          <th scope="col">Acknowledged</th>
          <th scope="col">Explanation</th>
        </tr>
      </thead>
      <tbody>
        {triggers.map((trigger) => (
          <tr key={trigger.id}>
            <td>
              <When at={trigger.triggered_at} />
            </td>
            <td className="number">
              <AlertValue type={trigger.alert_type} value={trigger.current_value} />
            </td>
            <td className="number">
              <Threshold type={trigger.alert_type} amount={trigger.threshold_value} />
            </td>
            <td>
              <Resolved trigger={trigger} />
            </td>
            <td>{trigger.notified ? 'yes' : 'no'}</td>
            <td style={{ overflowWrap: 'anywhere' }}>
              {trigger.acknowledgement ? `by ${trigger.acknowledgement.by}` : 'no'}
            </td>
            <td>
              <Button variant="default" size="compact-sm" onClick={() => onOpen(trigger.id)}>
                Explain
              </Button>
            </td>
          </tr>
        ))}
      </tbody>
    </WideTable>
  );
}

/** The type of an alert can change, so its triggers may have both. */
function seenInWords(triggers: Trigger[]): string {
  const types = new Set(triggers.map(({ alert_type }) => alert_type));
  if (types.size > 1) return 'Spent or rise';
  return types.has('anomaly') ? 'Rise' : 'Spent';
}

function Resolved({ trigger: { resolved_at, resolution } }: { trigger: Trigger }) {
  if (resolved_at === null) return 'still open';
  return (
    <>
      <When at={resolved_at} />
      {resolution && (
        <Text size="xs" c="dimmed">
          {resolutionInWords(resolution)}
        </Text>
      )}
    </>
  );
}

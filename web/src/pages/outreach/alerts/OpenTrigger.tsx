import { Box, Grid, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { changeSteps } from '../../../analysis/changeSteps.ts';
import { EventSentence } from '../../../analysis/EventSentence.tsx';
import { datesTitle } from '../../../analysis/ranges.ts';
import { Waterfall } from '../../../charts/Waterfall.tsx';
import { alertType } from '../../../parts/alerts/alertTypes.ts';
import type { ExplainedTrigger, Explanation, OneAlert } from '../../../parts/alerts/types.ts';
import { workflowColumn, workflowKey } from '../../../parts/workflows/NamedLink.tsx';
import { moneyColumn, numberColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { signed } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { AllowedButton } from '../../../ui/rights.tsx';
import { Note, RowLink, When } from '../../../ui/text.tsx';
import { useAcknowledge, useTrigger, useTriggers, useWhyNoChange } from './alertQueries.ts';
import { comparedWithInWords, countedDays, exploreAddress, shownOf } from './explained.ts';
import { UsedMost } from './UsedMost.tsx';

const height = 230;
const maxGrown = 4;

function useNewestTrigger(alert: OneAlert) {
  const triggers = useTriggers(alert.id, 1);
  const newest = triggers.data?.triggers[0];
  const isOpen = alert.enabled && alert.state === 'triggered' && (!newest || newest.resolved_at === null);
  return { triggers, newest, isOpen };
}

/** The open trigger and its actions. The amounts are in the current state above. */
export function TriggerNow({ alert }: { alert: OneAlert }) {
  const { triggers, newest, isOpen } = useNewestTrigger(alert);
  if (!isOpen) return null;
  return (
    <Box component="section" aria-label="Open trigger" className="trigger-now">
      <Loaded query={triggers} height={36}>
        {() => newest && <Acknowledged alertId={alert.id} triggerId={newest.id} />}
      </Loaded>
    </Box>
  );
}

function Acknowledged({ alertId, triggerId }: { alertId: string; triggerId: string }) {
  const trigger = useTrigger(alertId, triggerId);
  return (
    <Loaded query={trigger} height={36}>
      {(found) => (
        <Group gap="sm" mih={36}>
          <Text component="div" size="sm" flex="1 1 200px">
            Triggered <When at={found.triggered_at} full />. Still open.
          </Text>
          <Acknowledgement trigger={found} />
        </Group>
      )}
    </Loaded>
  );
}

export function OpenTrigger({ alert }: { alert: OneAlert }) {
  const { triggers, newest, isOpen } = useNewestTrigger(alert);
  if (!isOpen) return null;
  return (
    <Panel
      title="Why it triggered"
      aside={newest && <RowLink href={`/alerts/${alert.id}?trigger=${newest.id}`}>All details</RowLink>}
    >
      <Loaded query={triggers} height={height}>
        {() => newest && <Why alertId={alert.id} triggerId={newest.id} />}
      </Loaded>
    </Panel>
  );
}

function Why({ alertId, triggerId }: { alertId: string; triggerId: string }) {
  const trigger = useTrigger(alertId, triggerId);
  return (
    <Loaded query={trigger} height={height}>
      {(found) => (
        <Grid gap="xl">
          {found.included_usage ? (
            <Grid.Col span={12}>
              <UsedMost usage={found.included_usage} at={found.triggered_at} />
            </Grid.Col>
          ) : (
            <>
              <Grid.Col span={{ base: 12, md: 7 }}>
                <Cause trigger={found} />
              </Grid.Col>
              <Grid.Col span={{ base: 12, md: 5 }}>
                <Grown explanation={found.explanation} />
              </Grid.Col>
            </>
          )}
        </Grid>
      )}
    </Loaded>
  );
}

function Grown({ explanation }: { explanation: Explanation }) {
  const workflows = explanation.workflows.filter(({ change }) => change !== 0);
  if (workflows.length === 0) return null;
  return (
    <DataTable
      label="Workflows that changed most"
      minWidth={0}
      maxRows={maxGrown}
      rows={workflows}
      keyOf={workflowKey}
      columns={grownColumns}
    />
  );
}

const grownColumns: Column<Explanation['workflows'][number]>[] = [
  workflowColumn,
  moneyColumn('Before', ({ baseline }) => baseline),
  numberColumn(
    'Change',
    ({ change }) => change,
    (change) => <span className={change > 0 ? 'is-up' : 'is-down'}>{signed(change)}</span>,
  ),
];

export function Acknowledgement({ trigger }: { trigger: ExplainedTrigger }) {
  const [note, setNote] = useState('');
  const acknowledge = useAcknowledge(trigger.alert_id, trigger.id);
  const reason = useWhyNoChange();
  const known = trigger.acknowledgement;
  if (known) {
    return (
      <Text component="div" size="sm" style={{ overflowWrap: 'anywhere' }}>
        Acknowledged by <strong>{known.by}</strong> <When at={known.at} full />
        {known.note === null ? '.' : `: ${known.note}`}
      </Text>
    );
  }
  if (trigger.resolved_at !== null) return null;
  return (
    <Group gap="xs" wrap="nowrap">
      {reason === null && (
        <TextInput
          aria-label="Note"
          placeholder="Note, optional"
          maxLength={1_000}
          value={note}
          style={{ flex: '1 1 220px', minWidth: 0, maxWidth: 320 }}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
      )}
      <AllowedButton
        reason={reason}
        loading={acknowledge.isPending}
        style={{ flex: 'none' }}
        onClick={() => acknowledge.mutate(note)}
      >
        Acknowledge
      </AllowedButton>
    </Group>
  );
}

export function Cause({ trigger }: { trigger: ExplainedTrigger }) {
  const { all } = shownOf(trigger.explanation, 0);
  const { happened } = trigger.explanation;
  return (
    <Stack gap="xs">
      {happened && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          <EventSentence
            parts={happened.sentence_parts}
            workflowId={happened.workflow_id}
            runId={happened.run_id}
          />
        </Text>
      )}
      <Note>{comparedWithInWords(trigger)}</Note>
      <Waterfall
        label="The parts of the change"
        before={{
          label: alertType(trigger).baseline_title,
          amount: all.baseline,
        }}
        steps={changeSteps({ total: all })}
        now={{ label: datesTitle(countedDays(trigger)), amount: all.observed }}
      />
      <RowLink href={exploreAddress(trigger)}>Explore these days</RowLink>
    </Stack>
  );
}

import { Box, Stack, Text, Title, useMatches } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { alertType } from '../../../parts/alerts/alertTypes.ts';
import { isOfDaySoFar, periodInWords, untilInWords } from '../../../parts/alerts/triggerWords.ts';
import type { ExplainedTrigger, Explanation, Message, OneAlert } from '../../../parts/alerts/types.ts';
import { scopeInWords } from '../../../parts/alerts/words.ts';
import { useChannelNames } from '../../../parts/channels/channels.ts';
import { workflowColumn } from '../../../parts/workflows/NamedLink.tsx';
import { countColumn, moneyColumn, statusColumn, textColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { DataTable } from '../../../ui/DataTable.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { countOf } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { SmallButton } from '../../../ui/rights.tsx';
import { Money, TextLink, When } from '../../../ui/text.tsx';
import { AlertValue, Threshold } from './AlertParts.tsx';
import { useTrigger } from './alertQueries.ts';
import { type Change, longestOf, partNames, parts, type Shown, shownOf } from './explained.ts';
import '../../../charts/charts.css';
import './alerts.css';
import { Acknowledgement, Cause } from './OpenTrigger.tsx';
import { UsedMost } from './UsedMost.tsx';
import { resolutionInWords } from './words.ts';

type Props = { alert: OneAlert; triggerId: string; onClose: () => void };

export function TriggerDialog({ alert, triggerId, onClose }: Props) {
  const isFullScreen = useMatches({ base: true, md: false });
  return (
    <Dialog
      title={`Why “${alert.name}” triggered`}
      onClose={onClose}
      size={1120}
      fullScreen={isFullScreen}
      styles={{ title: { overflowWrap: 'anywhere', fontWeight: 700 } }}
    >
      <TriggerLoaded alert={alert} triggerId={triggerId} />
    </Dialog>
  );
}

function TriggerLoaded({ alert, triggerId }: { alert: OneAlert; triggerId: string }) {
  const trigger = useTrigger(alert.id, triggerId);
  return (
    <Loaded query={trigger} height={560}>
      {(found) => <Explained trigger={found} />}
    </Loaded>
  );
}

function Explained({ trigger }: { trigger: ExplainedTrigger }) {
  return (
    <Stack gap="lg">
      <Text component="div" size="sm">
        <TriggerInWords trigger={trigger} />
      </Text>
      <OverTimeLimit trigger={trigger} />
      <Acknowledgement trigger={trigger} />
      {trigger.included_usage ? (
        <Part title="What used most">
          <UsedMost usage={trigger.included_usage} at={trigger.triggered_at} />
        </Part>
      ) : (
        <>
          <Part title="Where the change came from">
            <Cause trigger={trigger} />
          </Part>
          <Part title="By workflow">
            <ChangeTable explanation={trigger.explanation} />
          </Part>
        </>
      )}
      <Part title="Notifications">
        <Messages messages={trigger.notifications} />
      </Part>
    </Stack>
  );
}

function TriggerInWords({ trigger }: { trigger: ExplainedTrigger }) {
  // The type at that time; the alert's type may have changed since.
  const { compared_with, baseline_title, value_title } = alertType(trigger);
  const scope = scopeInWords(trigger.scope);
  return (
    <>
      <When at={trigger.triggered_at} full />:{' '}
      <strong>
        <AlertValue kind={trigger} value={trigger.current_value} />
      </strong>{' '}
      {compared_with ? `above ${baseline_title.toLowerCase()}` : value_title.toLowerCase()}
      {scope === null ? '' : ` by ${scope}`} ({periodInWords(trigger.period)}
      {isOfDaySoFar(trigger) && `, ${untilInWords(trigger.triggered_at)}`}), over the threshold of{' '}
      <strong>
        <Threshold kind={trigger} amount={trigger.threshold_value} />
      </strong>
      .{' '}
      {trigger.resolved_at === null ? (
        'Still open.'
      ) : (
        <>
          Resolved <When at={trigger.resolved_at} full />
          {trigger.resolution === null ? '' : `: ${resolutionInWords(trigger.resolution)}`}.
        </>
      )}
    </>
  );
}

function OverTimeLimit({ trigger: { over_time_limit: found } }: { trigger: ExplainedTrigger }) {
  if (!found || found.jobs === 0) return null;
  return (
    <Text size="sm">
      <strong>Check first:</strong> <Money amount={found.cost} /> of it{' '}
      {found.jobs === 1 ? 'is 1 job' : `are ${countOf(found.jobs, 'job')}`} longer than the provider allows,
      so the times may be wrong.{' '}
      <TextLink href="/?flag=over_time_limit" inherit>
        Review
      </TextLink>
    </Text>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <Title order={3} size="h5">
        {title}
      </Title>
      {children}
    </Stack>
  );
}

function Messages({ messages }: { messages: Message[] }) {
  const namesOf = useChannelNames();
  if (messages.length === 0) {
    return (
      <Text size="sm">
        No notifications. Emails were off and no channel was set, or the notifications are no longer kept.
      </Text>
    );
  }
  return (
    <DataTable
      label="Notifications"
      minWidth={640}
      rows={messages}
      columns={columnsFor(namesOf)}
      keyOf={(message) => String(messages.indexOf(message))}
    />
  );
}

function columnsFor(namesOf: ReturnType<typeof useChannelNames>): Column<Message>[] {
  return [
    {
      title: 'Channel',
      cell: ({ channel_id: id, is_resolution: isResolution }) =>
        `${id === null ? 'Email' : namesOf([id])[0]}${isResolution ? ' (Resolved)' : ''}`,
    },
    textColumn('Recipient', ({ recipient }) => recipient, { className: 'breaking' }),
    statusColumn(({ status }) => status),
    countColumn('Attempts', ({ attempts }) => attempts),
    { title: 'Sent', cell: (message) => <SentAt message={message} /> },
    textColumn('Last error', ({ last_error: error }) => error, { className: 'breaking' }),
  ];
}

function SentAt({ message }: { message: Message }) {
  if (message.next_attempt_at === null) return <When at={message.sent_at} />;
  return (
    <>
      retry <When at={message.next_attempt_at} isNext />
    </>
  );
}

const shownAtFirst = 10;

type ChangedRow = Shown['workflows'][number] | Shown['others'];

/** The change by workflow in four parts. Columns add up to the last row, rows to their change. */
function ChangeTable({ explanation }: { explanation: Explanation }) {
  const [isAll, setIsAll] = useState(false);
  const shown = shownOf(explanation, isAll ? Infinity : shownAtFirst);
  const more = explanation.workflows.length - shownAtFirst;
  return (
    <>
      <DataTable
        isStacked
        label="The change by workflow"
        minWidth={900}
        rows={[...shown.workflows, ...(shown.others.workflows > 0 ? [shown.others] : [])]}
        columns={changeColumns(shown)}
        keyOf={(row) => ('workflows' in row ? 'others' : row.workflow_id)}
      />
      {more > 0 && (
        <SmallButton
          onClick={() => setIsAll(!isAll)}
          aria-expanded={isAll}
          style={{ alignSelf: 'flex-start' }}
        >
          {isAll ? `Show only the first ${shownAtFirst}` : `Show ${more} more`}
        </SmallButton>
      )}
    </>
  );
}

function changeColumns(shown: Shown): Column<ChangedRow>[] {
  const longest = longestOf(shown);
  const whole = (title: string, part: 'baseline' | 'observed'): Column<ChangedRow> =>
    moneyColumn(title, (row) => row[part], { total: <Money amount={shown.all[part]} /> });
  const change = (title: string, part: keyof Change): Column<ChangedRow> => ({
    title,
    isNumber: true,
    isMain: part === 'change',
    cell: (row) => <ChangeBar amount={row[part]} longest={longest} />,
    total: <SignedMoney amount={shown.all[part]} />,
  });
  return [
    {
      title: 'Workflow',
      cell: (row) =>
        'workflows' in row ? countOf(row.workflows, 'other workflow') : workflowColumn.cell(row),
      total: 'Total',
    },
    whole('Before', 'baseline'),
    whole('Now', 'observed'),
    ...parts.map((part) => change(partNames[part], part)),
    change('Change', 'change'),
  ];
}

function ChangeBar({ amount, longest }: { amount: number; longest: number }) {
  const share = longest === 0 ? 0 : (Math.abs(amount) / longest) * 50;
  return (
    <>
      <SignedMoney amount={amount} />
      <Box pos="relative" h={4} mt={4} miw={72} bg="var(--mantine-color-default-border)" aria-hidden>
        <Box
          pos="absolute"
          h="100%"
          w={`${share}%`}
          bg={amount > 0 ? 'var(--chart-up)' : 'var(--chart-down)'}
          style={{ [amount > 0 ? 'left' : 'right']: '50%' }}
        />
      </Box>
    </>
  );
}

function SignedMoney({ amount }: { amount: number }) {
  return (
    <Text span inherit style={{ whiteSpace: 'nowrap' }}>
      {amount > 0 ? '+' : ''}
      <Money amount={amount} />
    </Text>
  );
}

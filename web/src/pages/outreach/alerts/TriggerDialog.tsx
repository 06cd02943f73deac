import { Stack, Text, Title, useMatches } from '@mantine/core';
import type { ReactNode } from 'react';
import { alertType } from '../../../alerts/alertTypes.ts';
import { isOfDaySoFar, periodInWords, untilInWords } from '../../../alerts/triggerWords.ts';
import type { ExplainedTrigger, OneAlert, Message } from '../../../alerts/types.ts';
import { scopeInWords } from '../../../alerts/words.ts';
import { useChannelNames } from '../../../parts/channels.ts';
import { Dialog } from '../../../ui/Dialog.tsx';
import { countOf } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Money } from '../../../ui/Money.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { TextLink } from '../../../ui/TextLink.tsx';
import { When } from '../../../ui/When.tsx';
import { WideTable } from '../../../ui/WideTable.tsx';
import { Acknowledgement } from './Acknowledgement.tsx';
import { useTrigger } from './alertQueries.ts';
import { AlertValue, Threshold } from './AlertValue.tsx';
import { Cause } from './Cause.tsx';
import { ChangeTable } from './ChangeTable.tsx';
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
      <Part title="Where the change came from">
        <Cause trigger={trigger} />
      </Part>
      <Part title="By workflow">
        <ChangeTable explanation={trigger.explanation} />
      </Part>
      <Part title="Notifications">
        <Messages messages={trigger.notifications} />
      </Part>
    </Stack>
  );
}

function TriggerInWords({ trigger }: { trigger: ExplainedTrigger }) {
  // The type at that time; the alert's type may have changed since.
  const type = trigger.alert_type;
  const { compared_with, baseline_title, value_title } = alertType(type);
  const scope = scopeInWords(trigger.scope);
  return (
    <>
      <When at={trigger.triggered_at} full />:{' '}
      <strong>
        <AlertValue type={type} value={trigger.current_value} />
      </strong>{' '}
      {compared_with ? `above ${baseline_title.toLowerCase()}` : value_title.toLowerCase()}
      {scope === null ? '' : ` by ${scope}`} ({periodInWords(trigger.period)}
      {isOfDaySoFar(trigger) && `, ${untilInWords(trigger.triggered_at)}`}), over the threshold of{' '}
      <strong>
        <Threshold type={type} amount={trigger.threshold_value} />
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
    <WideTable label="Notifications" minWidth={640} wraps>
      <thead>
        <tr>
          <th scope="col">Channel</th>
          <th scope="col">Recipient</th>
          <th scope="col">Status</th>
          <th scope="col" className="number">
            Attempts
          </th>
          <th scope="col">Sent</th>
          <th scope="col">Last error</th>
        </tr>
      </thead>
      <tbody>
        {messages.map((message, index) => (
          <tr key={index}>
            <td style={{ overflowWrap: 'anywhere' }}>
              {message.channel_id === null ? 'Email' : namesOf([message.channel_id])}
              {message.is_resolution && ' (Resolved)'}
            </td>
            <td style={{ overflowWrap: 'anywhere' }}>{message.recipient ?? '–'}</td>
            <td>
              <StatusBadge status={message.status} />
            </td>
            <td className="number">{message.attempts}</td>
            <td>
              <SentAt message={message} />
            </td>
            <td style={{ overflowWrap: 'anywhere', maxWidth: 320 }}>{message.last_error ?? '–'}</td>
          </tr>
        ))}
      </tbody>
    </WideTable>
  );
}

function SentAt({ message }: { message: Message }) {
  if (message.next_attempt_at === null) return <When at={message.sent_at} />;
  return (
    <>
      retry <When at={message.next_attempt_at} isNext />
    </>
  );
}

import { Stack, Text, Title, useMatches } from '@mantine/core';
import type { ReactNode } from 'react';
import { Dialog } from '../../../ui/Dialog.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { When } from '../../../ui/When.tsx';
import { Acknowledgement } from './Acknowledgement.tsx';
import { useTrigger } from './alertQueries.ts';
import { AlertValue, Threshold } from './AlertValue.tsx';
import { ChangeSum, ChangeTable } from './ChangeTable.tsx';
import { Messages } from './Messages.tsx';
import type { ExplainedTrigger, OneAlert } from './types.ts';
import { periodInWords, resolutionInWords, scopeInWords, untilInWords } from './words.ts';

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
      <Acknowledgement trigger={trigger} />
      <Part title="Where the change came from">
        <Text size="sm" c="dimmed">
          {comparedWithInWords(trigger)} Hover over an amount to see all its digits.
        </Text>
        <ChangeSum explanation={trigger.explanation} />
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
  // The type when it triggered. The alert's type may have changed since.
  const type = trigger.alert_type;
  const scope = scopeInWords(trigger.scope);
  return (
    <>
      <When at={trigger.triggered_at} full />:{' '}
      <strong>
        <AlertValue type={type} value={trigger.current_value} />
      </strong>{' '}
      {type === 'budget' ? 'spent' : 'above normal'}
      {scope === null ? '' : ` by ${scope}`} ({periodInWords(trigger.period)}
      {isOfDaySoFar(trigger) && `, ${untilInWords(trigger.triggered_at)}`}), over the threshold of{' '}
      <strong>
        <Threshold type={type} amount={trigger.threshold_value} />
      </strong>
      .{' '}
      {trigger.resolved_at === null ? (
        'It is still open.'
      ) : (
        <>
          Resolved <When at={trigger.resolved_at} full />
          {trigger.resolution === null ? '' : `: ${resolutionInWords(trigger.resolution)}`}.
        </>
      )}
    </>
  );
}

function comparedWithInWords(trigger: ExplainedTrigger): string {
  if (trigger.alert_type === 'budget')
    return 'Compared with the same number of days of the previous period, with the figures at trigger time.';
  const hours = isOfDaySoFar(trigger) ? ', each up to the same time of day' : '';
  return `Compared with normal days${hours}, with the figures at trigger time.`;
}

/** A check on demand covers the day so far and compares it with the same hours. */
function isOfDaySoFar({ alert_type, triggered_at, period }: ExplainedTrigger): boolean {
  return alert_type === 'anomaly' && triggered_at.slice(0, 10) <= period.end;
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

import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useLocation, useParams } from 'wouter';
import { isNotFound } from '../../../ui/Failed.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { NotFound } from '../../../ui/NotFound.tsx';
import { PageTitle } from '../../../ui/PageTitle.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { RightsNote } from '../../../ui/rights.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { useVisit } from '../../../ui/visits.ts';
import { When } from '../../../ui/When.tsx';
import { useAlert, useWhyNoChange } from './alertQueries.ts';
import { CheckNow } from './CheckNow.tsx';
import { DeleteAlert } from './DeleteAlert.tsx';
import { EditLink } from './EditLink.tsx';
import { EnabledSwitch } from './EnabledSwitch.tsx';
import { Snooze } from './Snooze.tsx';
import { Triggers } from './Triggers.tsx';
import type { OneAlert } from './types.ts';
import { Warnings } from './Warnings.tsx';
import { checkedInWords, ruleInWords, scopeInWords, stateOf } from './words.ts';

export function Page() {
  const { id } = useParams<{ id: string }>();
  const alert = useAlert(id);
  const [, navigate] = useLocation();
  const reason = useWhyNoChange();
  useVisit('alert', alert.data?.name);
  if (isNotFound(alert.error)) return <NotFound what="alert" href="/alerts" list="alerts" />;
  return (
    <>
      <PageTitle title={alert.data?.name ?? 'Alert'} about={alert.data && aboutAlert(alert.data)}>
        {alert.data && (
          <>
            <CheckNow alert={alert.data} />
            <Snooze alert={alert.data} />
            <EditLink alert={alert.data} />
            <DeleteAlert alert={alert.data} onDeleted={() => navigate('/alerts', { replace: true })} />
          </>
        )}
      </PageTitle>
      <RightsNote reason={reason} />
      <Loaded query={alert} height={480}>
        {(found) => (
          <>
            <Warnings warnings={found.warnings} />
            <Details alert={found} />
            <Triggers alert={found} />
          </>
        )}
      </Loaded>
    </>
  );
}

function aboutAlert(alert: OneAlert): string {
  const scope = scopeInWords(alert.scope);
  return `Notifies you when ${scope === null ? 'spending' : `spending of ${scope}`} is ${ruleInWords(alert)}.`;
}

function emailsInWords({ notify_email, recipients }: OneAlert): string {
  if (!notify_email) return 'no';
  return recipients.length === 0 ? 'owners and admins' : recipients.join(', ');
}

function Details({ alert }: { alert: OneAlert }) {
  return (
    <Panel title="Details">
      <Group gap="xl" align="flex-start" style={{ rowGap: 12 }}>
        <Detail label="State">
          <StatusBadge status={stateOf(alert)} />
        </Detail>
        <Detail label="On">
          <EnabledSwitch alert={alert} />
        </Detail>
        <Detail label="Type">{alert.alert_type === 'budget' ? 'Budget' : 'Anomaly'}</Detail>
        <Detail label="Rule">{ruleInWords(alert)}</Detail>
        <Detail label="Check frequency">{checkedInWords(alert.check_frequency)}, UTC</Detail>
        <Detail label="Watches">{scopeInWords(alert.scope) ?? 'whole organization'}</Detail>
        <Detail label="Email">{emailsInWords(alert)}</Detail>
        <Detail label="Chat">{alert.notify_chat ? 'yes' : 'no'}</Detail>
        {alert.snoozed_until !== null && (
          <Detail label="Snoozed until">
            <When at={alert.snoozed_until} isNext />
          </Detail>
        )}
        <Detail label="Last triggered">
          {alert.last_triggered_at === null ? 'never' : <When at={alert.last_triggered_at} />}
        </Detail>
        <Detail label="Last changed">
          <When at={alert.updated_at} />
        </Detail>
      </Group>
    </Panel>
  );
}

function Detail({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div style={{ overflowWrap: 'anywhere' }}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text component="div" mih={25}>
        {children}
      </Text>
    </div>
  );
}

import { Button, Grid, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useLocation, useParams, Link } from 'wouter';
import { alertType } from '../../../parts/alerts/alertTypes.ts';
import { standingOf, type Standing } from '../../../parts/alerts/budgets.ts';
import { useMeasurements } from '../../../parts/alerts/queries.ts';
import type { OneAlert } from '../../../parts/alerts/types.ts';
import { ruleInWords, scopeInWords, standingInWords } from '../../../parts/alerts/words.ts';
import { DescriptionTable } from '../../../ui/DescriptionTable.tsx';
import { sentence } from '../../../ui/figures.ts';
import { Form } from '../../../ui/Form.tsx';
import { isNotFound, Loaded } from '../../../ui/Loaded.tsx';
import { NotFound } from '../../../ui/Lost.tsx';
import { PageTitle, Panel } from '../../../ui/Panel.tsx';
import { RightsNote, small, SmallButton } from '../../../ui/rights.tsx';
import { ConfirmRemoval } from '../../../ui/rowActions.tsx';
import { InText, StatusBadge, When } from '../../../ui/text.tsx';
import { useVisit } from '../../../ui/visits.ts';
import { AlertNow } from './AlertNow.tsx';
import { EnabledSwitch, LastTriggered, NextCheck, Warnings } from './AlertParts.tsx';
import { removal, useAlert, useSnoozeAlert, useWhyNoChange } from './alertQueries.ts';
import { CheckNow } from './CheckNow.tsx';
import { OpenTrigger } from './OpenTrigger.tsx';
import { Triggers } from './Triggers.tsx';
import { checkedInWords, reachedInWords, recipientInWords, watchedInWords } from './words.ts';

export function Page() {
  const { id } = useParams<{ id: string }>();
  const alert = useAlert(id);
  const reason = useWhyNoChange();
  useVisit('alert', alert.data?.name);
  if (isNotFound(alert.error)) return <NotFound what="alert" href="/alerts" list="alerts" />;
  return (
    <>
      <PageTitle
        title={alert.data?.name ?? 'Alert'}
        badge={alert.data && <StandingBadge alert={alert.data} />}
        about={alert.data && aboutAlert(alert.data)}
        back={{ href: '/alerts', label: 'All alerts' }}
      >
        {alert.data && (
          <>
            <CheckNow alert={alert.data} />
            <Snooze alert={alert.data} />
            <EditLink alert={alert.data} />
            <DeleteAlert alert={alert.data} />
          </>
        )}
      </PageTitle>
      <RightsNote reason={reason} />
      <Loaded query={alert} height={480}>
        {(found) => (
          <>
            <Warnings warnings={found.warnings} />
            <Grid gap="md" className="alert-top">
              <Grid.Col span={{ base: 12, md: 7 }}>
                <AlertNow alert={found} />
              </Grid.Col>
              <Grid.Col span={{ base: 12, md: 5 }}>
                <Details alert={found} />
              </Grid.Col>
            </Grid>
            <OpenTrigger alert={found} />
            <Triggers alert={found} />
          </>
        )}
      </Loaded>
    </>
  );
}

function aboutAlert(alert: OneAlert): string {
  const scope = scopeInWords(alert.scope);
  const { in_short: what } = alertType(alert);
  return `Notifies you when ${scope === null ? what : `${what} of ${scope}`} is ${ruleInWords(alert)}.`;
}

function useStanding(alert: OneAlert): Standing {
  return standingOf(alert, useMeasurements().data?.get(alert.id));
}

function StandingBadge({ alert }: { alert: OneAlert }) {
  return <StatusBadge status={standingInWords(useStanding(alert), alert)} />;
}

function Details({ alert }: { alert: OneAlert }) {
  const reached = reachedInWords(alert.reached_shares);
  return (
    <Panel title="Details">
      <DescriptionTable
        items={[
          ['On', <EnabledSwitch key="on" alert={alert} />],
          ['Type', alertType(alert).title],
          ['Rule', sentence(ruleInWords(alert))],
          reached !== null && ['Reached', reached],
          ['Watches', watchedInWords(alert.scope)],
          ['Checked', `${sentence(checkedInWords(alert.check_frequency))}, UTC`],
          alert.enabled && ['Next check', <NextCheck key="next" alert={alert} />],
          [
            'Notifies',
            alert.reaches.map(recipientInWords).join(', ') || (
              <InText key="nobody" href={`/alerts/${alert.id}/edit`}>
                Nobody. Choose who
              </InText>
            ),
          ],
          alert.snoozed_until !== null && [
            'Snoozed until',
            <When key="snoozed" at={alert.snoozed_until} isNext />,
          ],
          ['Last triggered', <LastTriggered key="last" alert={alert} standing={useStanding(alert)} />],
          ['Last changed', <When key="changed" at={alert.updated_at} />],
        ]}
      />
    </Panel>
  );
}

function EditLink({ alert }: { alert: { id: string; name: string } }) {
  if (useWhyNoChange() !== null) return null;
  return (
    <Button component={Link} href={`/alerts/${alert.id}/edit`} {...small} aria-label={`Edit ${alert.name}`}>
      Edit
    </Button>
  );
}

function DeleteAlert({ alert }: { alert: OneAlert }) {
  const [isAsking, { open, close }] = useDisclosure();
  const [, navigate] = useLocation();
  return (
    <>
      <SmallButton
        className="delete"
        reason={useWhyNoChange()}
        onClick={open}
        aria-label={`Delete ${alert.name}`}
      >
        Delete
      </SmallButton>
      {isAsking && (
        <ConfirmRemoval
          row={alert}
          removal={removal}
          onRemoved={() => navigate('/alerts', { replace: true })}
          onClose={close}
        />
      )}
    </>
  );
}

const hourMilliseconds = 3_600_000;
const lengths = [
  { value: '1', label: '1 hour' },
  { value: '24', label: '1 day' },
  { value: '168', label: '1 week' },
  { value: '720', label: '30 days' },
];

function Snooze({ alert }: { alert: OneAlert }) {
  const [isOpen, { open, close }] = useDisclosure();
  const snooze = useSnoozeAlert(alert);
  const reason = useWhyNoChange();
  const isSnoozed = alert.snoozed_until !== null;
  return (
    <>
      <SmallButton
        reason={reason}
        loading={snooze.isPending}
        onClick={() => (isSnoozed ? snooze.mutate(null) : open())}
      >
        {isSnoozed ? 'End snooze' : 'Snooze'}
      </SmallButton>
      {isOpen && (
        <Form
          title={`Snooze “${alert.name}”`}
          size="sm"
          label="Snooze"
          initial={{ hours: '24' }}
          fields={[
            <Text size="sm">
              Nobody is notified meanwhile. The alert is still checked, and webhooks still get its events. If
              it is over its threshold when the snooze ends, we notify once.
            </Text>,
            { name: 'hours', kind: 'choice', label: 'For', options: lengths },
          ]}
          act={({ hours }) =>
            snooze.mutateAsync(new Date(Date.now() + Number(hours) * hourMilliseconds).toISOString())
          }
          onClose={close}
        />
      )}
    </>
  );
}

import { Button, Fieldset, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { type Member, membersKey, membersQuery, organizationQuery } from '../../../api/queries.ts';
import { useSession } from '../../../api/session.ts';
import { channelsQuery, kindsQuery } from '../../../parts/channels/channels.ts';
import { TestOutcome } from '../../../parts/channels/TestOutcome.tsx';
import { Choice } from '../../../ui/Choice.tsx';
import { Command } from '../../../ui/Command.tsx';
import { FormError } from '../../../ui/FormError.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { MailWarning, NoMailServer } from '../../../ui/NoMailServer.tsx';
import { OnSwitch } from '../../../ui/OnSwitch.tsx';
import { DescriptionList, Panel } from '../../../ui/Panel.tsx';
import { RightsNote, useWhyNot, whyNoEmails } from '../../../ui/rights.tsx';
import { InText, Note } from '../../../ui/text.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { Channels } from './Channels.tsx';
import './notifications.css';

export function NotificationsPart() {
  const organization = useQuery(organizationQuery);
  const channels = useQuery(channelsQuery);
  const kinds = useQuery(kindsQuery);
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  return (
    <>
      <RightsNote reason={reason} />
      <Channels reason={reason} />
      {/* Rendered once the height of the list above is known. */}
      {!organization.isPending && !channels.isPending && !kinds.isPending && (
        <AlertEmails reason={reason} isMailConfigured={organization.data?.mail_configured} />
      )}
    </>
  );
}

type EmailsProps = { reason: string | null; isMailConfigured: boolean | undefined };

function AlertEmails({ reason, isMailConfigured }: EmailsProps) {
  const members = useQuery(membersQuery);
  return (
    <Panel title="Alert emails">
      {isMailConfigured === false ? (
        <>
          <MailWarning>
            <NoMailServer isHere />
          </MailWarning>
          <Stack gap={6}>
            <Text size="sm">
              For example, with the address and the password that your mail provider gave you:
            </Text>
            <Command label="Settings for email" what="the settings">
              {'SMTP_URL=smtp://user:password@mail.example.com:587\nEMAIL_FROM=runcost@example.com'}
            </Command>
          </Stack>
        </>
      ) : (
        <Text size="sm">When an alert triggers, the owners and admins switched on here get an email.</Text>
      )}
      <Loaded query={members} height={160}>
        {(list) =>
          list.length === 0 ? (
            <Note>
              Nobody to send them to yet: only members get emails.{' '}
              <InText href="/settings/members">Invite members</InText>
            </Note>
          ) : (
            <Stack gap="sm">
              {reason === null ? (
                <EmailSwitches members={list} />
              ) : (
                <DescriptionList
                  items={list.map((member) => [member.name ?? member.email, emailsOf(member)])}
                />
              )}
              {reason === null && isMailConfigured !== false && <TestEmail members={list} />}
            </Stack>
          )
        }
      </Loaded>
    </Panel>
  );
}

function emailsOf({ role, alert_emails: isOn }: Member): string {
  if (whyNoEmails(role) !== null) return `Not as ${role}`;
  return isOn ? 'On' : 'Off';
}

function EmailSwitches({ members }: { members: Member[] }) {
  const able = members.filter(({ role }) => whyNoEmails(role) === null);
  const others = members.filter((member) => !able.includes(member));
  return (
    <>
      {able.length > 0 && (
        <Fieldset legend="Send alert emails to" variant="unstyled" className="email-switches">
          {able.map((member) => (
            <EmailSwitch key={member.id} member={member} />
          ))}
        </Fieldset>
      )}
      {others.length > 0 && (
        <Note>
          Members without alert emails: {others.map(({ name, email }) => name ?? email).join(', ')}. Only
          owners and admins get them.
        </Note>
      )}
    </>
  );
}

function EmailSwitch({ member: { id, name, email, alert_emails: isOn } }: { member: Member }) {
  return (
    <OnSwitch
      name={email}
      isOn={isOn}
      act={(next) =>
        api.PUT('/api/v1/members/{id}', { params: { path: { id } }, body: { alert_emails: next } })
      }
      done={`Saved for ${email}.`}
      refresh={[membersKey]}
      label={name ?? email}
      description={name !== null && email}
      labelPosition="left"
      styles={{ body: { justifyContent: 'space-between' }, labelWrapper: { overflowWrap: 'anywhere' } }}
    />
  );
}

/** Sends to the signed-in member, or to a chosen one if no member is signed in. */
function TestEmail({ members }: { members: Member[] }) {
  const { data: session } = useSession();
  const me = members.find(({ email }) => email === session?.member?.email);
  const [chosenId, setChosenId] = useState<string | null>(null);
  const test = useChange({
    act: async (id: string) =>
      (await api.POST('/api/v1/members/{id}/test-email', { params: { path: { id } } })).data!.data,
    isErrorShown: true,
  });
  const to = me ?? members.find(({ id }) => id === chosenId) ?? members[0];
  return (
    <Stack gap="sm" mt="xs" maw={640}>
      <Group align="flex-end">
        {!me && (
          <Choice
            label="Send a test email to"
            options={members.map(({ id, email }) => ({ value: id, label: email }))}
            value={to?.id ?? ''}
            onChange={(id) => {
              setChosenId(id);
              test.reset();
            }}
            flex={1}
            miw={200}
          />
        )}
        <Button variant="default" loading={test.isPending} onClick={() => to && test.mutate(to.id)}>
          {me ? 'Send me a test email' : 'Send a test email'}
        </Button>
      </Group>
      <FormError error={test.error} fields={[]} />
      <TestOutcome outcome={test.data} recipient="The mail server" />
    </Stack>
  );
}

import { Anchor, Button, Code, Group, Select, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { api } from '../../api/client.ts';
import { Confirm } from '../../shown/Confirm.tsx';
import { Empty } from '../../shown/Empty.tsx';
import { FormFault } from '../../shown/FormFault.tsx';
import { Loaded } from '../../shown/Loaded.tsx';
import { Panel } from '../../shown/Panel.tsx';
import { AllowedButton, RightsNote, useWhyNot } from '../../shown/rights.tsx';
import { faultOf, useChange } from '../../shown/useChange.ts';
import { membersKey, membersQuery, organizationKey, organizationQuery } from './queries.ts';
import type { Member, Organization } from './queries.ts';

const formats = [
  { value: 'slack', label: 'Slack' },
  { value: 'teams', label: 'Microsoft Teams' },
  { value: 'discord', label: 'Discord' },
  { value: 'json', label: 'Plain JSON' },
];
type Format = 'slack' | 'teams' | 'discord' | 'json';

export function NotificationsPart() {
  const organization = useQuery(organizationQuery);
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  return (
    <>
      <RightsNote reason={reason} />
      <Panel title="Chat">
        <Loaded query={organization} height={200}>
          {(data) => <ChatForm key={data.updated_at} organization={data} reason={reason} />}
        </Loaded>
      </Panel>
      <AlertEmails reason={reason} />
    </>
  );
}

type ChatProps = { organization: Organization; reason: string | null };

function ChatForm({ organization, reason }: ChatProps) {
  const chat = organization.chat_webhook;
  const [url, setUrl] = useState('');
  const [format, setFormat] = useState<Format>((chat?.format as Format | undefined) ?? 'slack');
  const [isRemoving, setIsRemoving] = useState(false);
  const save = useChange({
    act: async () => {
      const body = { chat_webhook: { format, ...(url && { url }) } };
      await api.PUT('/api/v1/organization', { body });
    },
    done: 'The chat has been changed.',
    refresh: [organizationKey],
    isFaultShown: true,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(undefined);
      }}
    >
      <Stack maw={640}>
        <Text size="sm">
          {chat ? (
            <>
              Alerts are told to a chat at <Code>{chat.host}</Code>.
            </>
          ) : (
            'Alerts are told to no chat yet. Make an incoming webhook in your chat and give its address here.'
          )}
        </Text>
        <TextInput
          label="Address of the incoming webhook"
          description={
            chat
              ? 'Left empty, the present one stays. It is a secret and not shown.'
              : 'It is a secret: once saved, only its host is shown.'
          }
          type="url"
          required={chat === null}
          maxLength={2048}
          autoComplete="off"
          spellCheck={false}
          disabled={reason !== null}
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
          error={faultOf(save.error, 'chat_webhook.url')}
        />
        <Select
          label="Form of the messages"
          data={formats}
          allowDeselect={false}
          disabled={reason !== null}
          value={format}
          onChange={(value) => value && setFormat(value as Format)}
          error={faultOf(save.error, 'chat_webhook.format')}
        />
        <FormFault error={save.error} fields={['chat_webhook.url', 'chat_webhook.format']} />
        <Group>
          <Button type="submit" disabled={reason !== null} loading={save.isPending}>
            Save
          </Button>
          {chat && (
            <AllowedButton variant="default" reason={reason} onClick={() => setIsRemoving(true)}>
              Remove
            </AllowedButton>
          )}
        </Group>
      </Stack>
      {isRemoving && <RemoveChat onClose={() => setIsRemoving(false)} />}
    </form>
  );
}

function RemoveChat({ onClose }: { onClose: () => void }) {
  const remove = useChange({
    act: async () => {
      await api.PUT('/api/v1/organization', { body: { chat_webhook: null } });
    },
    done: 'The chat has been removed.',
    refresh: [organizationKey],
  });
  return (
    <Confirm
      title="Remove the chat?"
      deed="Remove the chat"
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate(undefined, { onSettled: onClose })}
    >
      Alerts are told there no longer. Its address is forgotten: to come back to it, you need to give it
      again.
    </Confirm>
  );
}

function AlertEmails({ reason }: { reason: string | null }) {
  const members = useQuery(membersQuery);
  return (
    <Panel title="Alert emails">
      <Text size="sm" c="dimmed">
        Mail needs <Code>SMTP_URL</Code> and <Code>EMAIL_FROM</Code> in the server&apos;s settings; without
        them, each alert says that nothing is mailed.
      </Text>
      <Loaded query={members} height={160}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="Nobody is mailed">
              <Anchor component={Link} href="/settings/members" underline="always">
                Add members
              </Anchor>{' '}
              first.
            </Empty>
          ) : (
            <Stack gap="sm">
              {list.map((member) => (
                <EmailSwitch key={member.id} member={member} reason={reason} />
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Panel>
  );
}

function EmailSwitch({ member, reason }: { member: Member; reason: string | null }) {
  const change = useChange({
    act: async (isMailed: boolean) => {
      const params = { path: { id: member.id } };
      await api.PUT('/api/v1/members/{id}', { params, body: { alert_emails: isMailed } });
    },
    done: `Saved for ${member.email}.`,
    refresh: [membersKey],
  });
  return (
    <Switch
      label={member.name === null ? member.email : `${member.name} (${member.email})`}
      styles={{ label: { overflowWrap: 'anywhere' } }}
      disabled={reason !== null || change.isPending}
      checked={change.isPending ? change.variables : member.alert_emails}
      onChange={(event) => change.mutate(event.currentTarget.checked)}
    />
  );
}

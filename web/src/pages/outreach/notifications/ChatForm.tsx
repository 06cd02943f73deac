import { Button, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconBraces, IconBrandDiscord, IconBrandSlack, IconBrandTeams } from '@tabler/icons-react';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { organizationKey, type Organization } from '../../../api/queries.ts';
import { Choice } from '../../../ui/Choice.tsx';
import { Confirm } from '../../../ui/Confirm.tsx';
import { FormError } from '../../../ui/FormError.tsx';
import { SaveRow } from '../../../ui/SaveRow.tsx';
import { errorOf, useChange } from '../../../ui/useChange.ts';
import { TestOutcome, useTestChat } from './TestOutcome.tsx';

const formats = [
  { value: 'slack', label: 'Slack' },
  { value: 'teams', label: 'Microsoft Teams' },
  { value: 'discord', label: 'Discord' },
  { value: 'json', label: 'Plain JSON' },
] as const;
type Format = (typeof formats)[number]['value'];

const icons = { slack: IconBrandSlack, teams: IconBrandTeams, discord: IconBrandDiscord, json: IconBraces };

const whereToGetIt: Record<Format, string> = {
  slack: 'In Slack, add an incoming webhook to the channel and copy its address.',
  teams:
    'In Teams, add a workflow that posts to the channel when it gets a webhook request, and copy its address.',
  discord: 'In Discord, open the settings of the channel, then Integrations, Webhooks, and copy an address.',
  json: 'Any address of yours that accepts JSON by POST.',
};
type Values = { url: string; format: Format };

/** Asks for the chat first and then shows its form. */
export function ChatForm({ organization }: { organization: Organization }) {
  const chat = organization.chat_webhook;
  const [chosen, setChosen] = useState<Format | null>((chat?.format as Format | undefined) ?? null);
  if (chosen !== null) {
    return <ChannelForm chat={chat} chosen={chosen} onDiscard={() => chat === null && setChosen(null)} />;
  }
  return (
    <Stack>
      <Destination chat={chat} />
      <Group gap="xs">
        {formats.map(({ value, label }) => {
          const Icon = icons[value];
          return (
            <Button
              key={value}
              variant="default"
              leftSection={<Icon size={18} stroke={1.7} aria-hidden />}
              onClick={() => setChosen(value)}
            >
              {label}
            </Button>
          );
        })}
      </Group>
    </Stack>
  );
}

type FormProps = { chat: Organization['chat_webhook']; chosen: Format; onDiscard: () => void };

function ChannelForm({ chat, chosen, onDiscard }: FormProps) {
  const [{ url, format }, setValues] = useState<Values>({ url: '', format: chosen });
  const [isRemoving, setIsRemoving] = useState(false);
  const save = useChange({
    act: async () => {
      const body = { chat_webhook: { format, ...(url && { url }) } };
      await api.PUT('/api/v1/organization', { body });
    },
    done: 'Channel saved.',
    refresh: [organizationKey],
    isErrorShown: true,
  });
  const test = useTestChat();
  const change = (values: Values) => {
    setValues(values);
    // The results belong to the previous values.
    save.reset();
    test.reset();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        test.reset();
        save.mutate(undefined);
      }}
    >
      <Stack maw={640}>
        <Destination chat={chat} />
        <ChatFields
          values={{ url, format }}
          hasChat={chat !== null}
          errors={{
            url: errorOf(save.error, 'chat_webhook.url') ?? errorOf(test.error, 'url'),
            format: errorOf(save.error, 'chat_webhook.format'),
          }}
          onChange={change}
        />
        <FormError error={save.error} fields={['chat_webhook.url', 'chat_webhook.format']} />
        <FormError error={test.error} fields={['url']} />
        <SaveRow
          isDirty={url !== '' || (chat !== null && format !== chosen)}
          isBusy={save.isPending}
          onDiscard={() => {
            change({ url: '', format: chosen });
            onDiscard();
          }}
        >
          <Group>
            {chat === null &&
              url === '' &&
              'The address is secret. After you save it, we show only its host.'}
            {(chat !== null || url !== '') && (
              <Button
                variant="default"
                loading={test.isPending}
                onClick={() => {
                  save.reset();
                  test.mutate({ format, ...(url && { url }) });
                }}
              >
                Send a test message
              </Button>
            )}
            {chat && (
              <Button variant="default" onClick={() => setIsRemoving(true)}>
                Remove
              </Button>
            )}
          </Group>
        </SaveRow>
        <TestOutcome outcome={test.data} recipient="The channel" />
      </Stack>
      {isRemoving && <RemoveChat onClose={() => setIsRemoving(false)} />}
    </form>
  );
}

function Destination({ chat }: { chat: Organization['chat_webhook'] }) {
  return (
    <Text size="sm">
      {chat ? (
        <>
          Alerts go to <Code>{chat.host}</Code>.
        </>
      ) : (
        'No channel yet. Alerts and digests can be posted to one.'
      )}
    </Text>
  );
}

function RemoveChat({ onClose }: { onClose: () => void }) {
  const remove = useChange({
    act: () => api.PUT('/api/v1/organization', { body: { chat_webhook: null } }),
    done: 'Channel removed.',
    refresh: [organizationKey],
  });
  return (
    <Confirm title="Remove this channel?" label="Remove channel" change={remove} onClose={onClose}>
      Alerts no longer go there. We delete the address, so you need it again to reconnect.
    </Confirm>
  );
}

type FieldsProps = {
  values: Values;
  hasChat: boolean;
  errors: Record<keyof Values, string | null>;
  onChange: (values: Values) => void;
};

function ChatFields({ values: { url, format }, hasChat, errors, onChange }: FieldsProps) {
  return (
    <>
      <Choice
        label="Send to"
        options={formats}
        value={format}
        onChange={(value) => onChange({ url, format: value })}
        error={errors.format}
      />
      <TextInput
        label="Incoming webhook address"

        description={
          hasChat
            ? 'Leave empty to keep the current address. It is secret, so we do not show it.'
            : whereToGetIt[format]
        }
        type="url"
        placeholder="https://"
        required={!hasChat}
        withAsterisk={false}
        maxLength={2048}
        autoComplete="off"
        spellCheck={false}
        value={url}
        onChange={(event) => onChange({ url: event.currentTarget.value, format })}
        error={errors.url}
      />
    </>
  );
}

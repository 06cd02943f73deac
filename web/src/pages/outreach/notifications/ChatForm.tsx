import { Button, Code, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { Choice } from '../../../ui/Choice.tsx';
import { Confirm } from '../../../ui/Confirm.tsx';
import { FormFault } from '../../../ui/FormFault.tsx';
import { AllowedButton } from '../../../ui/rights.tsx';
import { faultOf, useChange } from '../../../ui/useChange.ts';
import { organizationKey, type Organization } from '../../tenancy/queries.ts';
import { TestOutcome, useTestChat } from './TestOutcome.tsx';

const formats = [
  { value: 'slack', label: 'Slack' },
  { value: 'teams', label: 'Microsoft Teams' },
  { value: 'discord', label: 'Discord' },
  { value: 'json', label: 'Plain JSON' },
] as const;
type Format = (typeof formats)[number]['value'];
type Values = { url: string; format: Format };

type ChatProps = { organization: Organization; reason: string | null };

/** Where alerts are told in chat: what is in the form can be tried before it is saved. */
export function ChatForm({ organization, reason }: ChatProps) {
  const chat = organization.chat_webhook;
  const [{ url, format }, setValues] = useState<Values>({
    url: '',
    format: (chat?.format as Format | undefined) ?? 'slack',
  });
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
  const test = useTestChat();
  const change = (values: Values) => {
    setValues(values);
    // What has been found out holds for the values that were tried.
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
        <Text size="sm">
          {chat ? (
            <>
              Alerts are told to a chat at <Code>{chat.host}</Code>.
            </>
          ) : (
            'Alerts are told to no chat yet. Make an incoming webhook in your chat and give its address here.'
          )}
        </Text>
        <ChatFields
          values={{ url, format }}
          hasChat={chat !== null}
          isDisabled={reason !== null}
          errors={{
            url: faultOf(save.error, 'chat_webhook.url') ?? faultOf(test.error, 'url'),
            format: faultOf(save.error, 'chat_webhook.format'),
          }}
          onChange={change}
        />
        <FormFault error={save.error} fields={['chat_webhook.url', 'chat_webhook.format']} />
        <FormFault error={test.error} fields={['url']} />
        <Group>
          <Button type="submit" disabled={reason !== null} loading={save.isPending}>
            Save
          </Button>
          <AllowedButton
            variant="default"
            reason={reason ?? (chat === null && url === '' ? 'Give an address first.' : null)}
            loading={test.isPending}
            onClick={() => {
              save.reset();
              test.mutate({ format, ...(url && { url }) });
            }}
          >
            Send a test message
          </AllowedButton>
          {chat && (
            <AllowedButton variant="default" reason={reason} onClick={() => setIsRemoving(true)}>
              Remove
            </AllowedButton>
          )}
        </Group>
        <TestOutcome outcome={test.data} taker="The chat" />
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

type FieldsProps = {
  values: Values;
  hasChat: boolean;
  isDisabled: boolean;
  errors: Record<keyof Values, string | null>;
  onChange: (values: Values) => void;
};

function ChatFields({ values: { url, format }, hasChat, isDisabled, errors, onChange }: FieldsProps) {
  return (
    <>
      <TextInput
        label="Address of the incoming webhook"
        description={
          hasChat
            ? 'Left empty, the present one stays. It is a secret and not shown.'
            : 'It is a secret: once saved, only its host is shown.'
        }
        type="url"
        required={!hasChat}
        maxLength={2048}
        autoComplete="off"
        spellCheck={false}
        disabled={isDisabled}
        value={url}
        onChange={(event) => onChange({ url: event.currentTarget.value, format })}
        error={errors.url}
      />
      <Choice
        label="Form of the messages"
        options={formats}
        disabled={isDisabled}
        value={format}
        onChange={(value) => onChange({ url, format: value })}
        error={errors.format}
      />
    </>
  );
}

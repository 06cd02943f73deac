import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { organizationKey } from '../../../api/queries.ts';
import {
  type Channel,
  channelsKey,
  channelsQuery,
  type Field,
  type Kind,
  kindsQuery,
} from '../../../parts/channels/channels.ts';
import type { Column } from '../../../ui/columns.ts';
import { Form, type Item } from '../../../ui/Form.tsx';
import { ResourcePanel } from '../../../ui/ResourcePanel.tsx';
import { AllowedButton } from '../../../ui/rights.tsx';
import type { RowActions } from '../../../ui/rowActions.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { TestOutcome } from './TestOutcome.tsx';

export function Channels({ reason }: { reason: string | null }) {
  const channels = useQuery(channelsQuery);
  const { data: kinds = [] } = useQuery(kindsQuery);
  const [isCreating, setIsCreating] = useState(false);
  const test = useTest();
  const actions: RowActions<Channel> = {
    of: ({ name }) => name,
    more: (channel) => [{ label: 'Send a test message', onClick: () => test.mutate(channel) }],
    edit: {
      form: (channel, close) => (
        <ChannelForm kinds={kinds} channel={channel} suggestedName="" onClose={close} />
      ),
    },
    remove: {
      what: 'channel',
      text: ({ name }) =>
        `Nothing goes to ${name} any more. We delete its settings, so you need them again to reconnect.`,
      act: ({ id }) => api.DELETE('/api/v1/channels/{id}', { params: { path: { id } } }),
      done: () => 'Channel deleted.',
      refresh: [channelsKey, organizationKey],
    },
  };
  return (
    <ResourcePanel
      label="Channels"
      query={channels}
      columns={columnsOf(kinds)}
      rowActions={reason === null ? actions : null}
      keyOf={({ id }) => id}
      minWidth={560}
      actions={
        <AllowedButton
          size="compact-sm"
          reason={reason}
          disabled={kinds.length === 0}
          onClick={() => setIsCreating(true)}
        >
          New channel
        </AllowedButton>
      }
      empty={{
        title: 'No channels',
        text: `Alerts and digests can go to ${kinds.map(({ title }) => title).join(', ')}.`,
      }}
    >
      {isCreating && (
        <ChannelForm
          kinds={kinds}
          channel={null}
          suggestedName={channels.data?.length === 0 ? 'default' : ''}
          onClose={() => setIsCreating(false)}
        />
      )}
    </ResourcePanel>
  );
}

function columnsOf(kinds: readonly Kind[]): Column<Channel>[] {
  const kindOf = ({ kind }: Channel) => kinds.find((each) => each.kind === kind);
  const settingsIn = (channel: Channel) =>
    (kindOf(channel)?.fields ?? [])
      .flatMap(({ name }) => channel.settings[name] ?? [])
      .flat()
      .join(', ');
  const titleOf = (channel: Channel) => kindOf(channel)?.title ?? channel.kind;
  const teamsOf = ({ teams }: Channel) => teams.join(', ') || '–';
  return [
    { title: 'Channel', value: ({ name }) => name, cell: ({ name }) => name, className: 'breaking' },
    { title: 'Kind', isPlain: true, value: titleOf, cell: titleOf },
    { title: 'To', isPlain: true, value: settingsIn, cell: settingsIn, className: 'breaking' },
    { title: 'Teams', isPlain: true, value: teamsOf, cell: teamsOf, className: 'breaking' },
  ];
}

function useTest() {
  return useChange({
    act: async ({ id, name }: Channel) => {
      const { data } = await api.POST('/api/v1/channels/test', { body: { channel_id: id } });
      if (!data!.data.delivered) throw new Error(data!.data.error ?? 'The receiver refused the message.');
      return name;
    },
    done: (name) => `${name} accepted the test message. Check that it arrived.`,
  });
}

/** Settings have the names that the server gives them. */
type Values = { kind: string; name: string; teams: string; [setting: `settings.${string}`]: string };

const nameOf = ({ name }: Field) => `settings.${name}` as const;

/** As they are saved, but for secrets, which stay empty until somebody types another. */
function settingsOf(kind: Kind | undefined, channel: Channel | null): Partial<Values> {
  return Object.fromEntries(
    (kind?.fields ?? []).map((field) => {
      const saved = field.is_secret ? undefined : channel?.settings[field.name];
      return [nameOf(field), [saved ?? field.choices[0]?.value ?? ''].flat().join(', ')];
    }),
  );
}

type Props = { kinds: readonly Kind[]; channel: Channel | null; suggestedName: string; onClose: () => void };

/** The fields come from the kind, so a new kind needs nothing here. */
function ChannelForm({ kinds, channel, suggestedName, onClose }: Props) {
  const kindOf = (name: string | null | undefined) => kinds.find(({ kind }) => kind === name);
  const fieldsIn = ({ kind }: Values) => kindOf(kind)?.fields ?? [];
  const settingsIn = (values: Values) =>
    Object.fromEntries(
      fieldsIn(values).flatMap((field) => {
        const value = values[nameOf(field)]?.trim();
        return value ? [[field.name, value]] : [];
      }),
    );
  const isIncomplete = (values: Values) =>
    fieldsIn(values).some(
      ({ name, is_required: isRequired, is_secret: isSecret }) =>
        isRequired && !settingsIn(values)[name] && !(isSecret && channel?.settings[name] !== undefined),
    );
  const test = useChange({
    act: async (values: Values) => {
      const what = channel ? { channel_id: channel.id } : { kind: values.kind };
      const body = { ...what, settings: settingsIn(values) };
      return (await api.POST('/api/v1/channels/test', { body })).data!.data;
    },
    isErrorShown: true,
  });
  const kind = channel?.kind ?? kinds[0]?.kind ?? '';
  const initial: Values = {
    kind,
    name: channel?.name ?? suggestedName,
    teams: channel?.teams.join(', ') ?? '',
    ...settingsOf(kindOf(kind), channel),
  };
  return (
    <Form
      title={channel ? `Edit ${channel.name}` : 'New channel'}
      label={channel ? 'Save changes' : 'Create channel'}
      initial={initial}
      isDisabled={isIncomplete}
      error={test.error}
      // Its result is that of the values before.
      onChange={test.reset}
      fields={({ values, change }) => [
        !channel && {
          name: 'kind',
          kind: 'choice',
          label: 'Kind',
          description: kindOf(values.kind)?.description,
          options: kinds.map(({ kind: value, title }) => ({ value, label: title })),
          onChosen: (chosen) => change(settingsOf(kindOf(chosen), null)),
        },
        {
          name: 'name',
          label: 'Name',
          description: 'Alerts that choose no channel go to the one named default.',
          required: true,
          maxLength: 255,
        },
        ...fieldsIn(values).map((field) => settingOf(field, channel)),
        {
          name: 'teams',
          label: 'Teams',
          description:
            'Alerts about these teams go here, unless they choose a channel. Separate several with commas.',
        },
        <Group>
          <Button
            variant="default"
            disabled={isIncomplete(values)}
            loading={test.isPending}
            onClick={() => {
              // The error of an earlier save goes, which would hide that of the test.
              change({});
              test.mutate(values);
            }}
          >
            Send a test message
          </Button>
        </Group>,
        <TestOutcome outcome={test.data} recipient="The receiver" />,
      ]}
      act={async (values) => {
        const teams = values.teams.split(',').map((each) => each.trim());
        const body = { name: values.name, teams: teams.filter(Boolean), settings: settingsIn(values) };
        if (channel) await api.PUT('/api/v1/channels/{id}', { params: { path: { id: channel.id } }, body });
        else await api.POST('/api/v1/channels', { body: { ...body, kind: values.kind } });
      }}
      done="Channel saved."
      refresh={[channelsKey, organizationKey]}
      onClose={onClose}
    />
  );
}

function settingOf(field: Field, channel: Channel | null): Item<Values> {
  const { title, type, help, example, choices, is_secret: isSecret, is_required: isRequired } = field;
  const name = nameOf(field);
  if (type === 'choice') return { name, kind: 'choice', label: title, description: help, options: choices };
  const shown = channel?.settings[field.name];
  const isSaved = isSecret && shown !== undefined;
  return {
    name,
    label: title,
    description: isSaved ? `Leave empty to keep the current one (${[shown].flat().join(', ')}).` : help,
    type: type === 'url' ? 'url' : 'text',
    placeholder: example ?? undefined,
    required: isRequired && !isSaved,
    autoComplete: 'off',
    spellCheck: false,
  };
}

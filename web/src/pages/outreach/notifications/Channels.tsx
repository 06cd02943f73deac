import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { organizationKey } from '../../../api/queries.ts';
import { ChannelForm } from '../../../parts/channels/ChannelForm.tsx';
import {
  type Channel,
  channelsKey,
  channelsQuery,
  type Kind,
  kindsQuery,
} from '../../../parts/channels/channels.ts';
import { textColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { sentence } from '../../../ui/figures.ts';
import { ResourcePanel } from '../../../ui/ResourcePanel.tsx';
import { AllowedButton, SmallButton } from '../../../ui/rights.tsx';
import type { RowActions } from '../../../ui/rowActions.tsx';
import { Note, StatusBadge, When } from '../../../ui/text.tsx';
import { useChange } from '../../../ui/useChange.ts';

export function Channels({ reason }: { reason: string | null }) {
  const channels = useQuery(channelsQuery);
  const { data: kinds = [] } = useQuery(kindsQuery);
  const [isCreating, setIsCreating] = useState(false);
  const test = useTest();
  const actions: RowActions<Channel> = {
    of: ({ name }) => name,
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
      columns={reason === null ? [...columnsOf(kinds), testOf(test)] : columnsOf(kinds)}
      rowActions={reason === null ? actions : null}
      minWidth={560}
      isOfPage
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
    textColumn('Channel', ({ name }) => name),
    textColumn('Kind', titleOf, { isPlain: true }),
    textColumn('To', settingsIn, { isPlain: true, className: 'breaking' }),
    textColumn('Teams', teamsOf, { isPlain: true, className: 'breaking' }),
    {
      title: 'Last message',
      value: ({ last_message: last }) => last?.at ?? null,
      cell: ({ last_message: last }) => (last ? <LastMessage last={last} /> : '–'),
    },
  ];
}

function LastMessage({ last: { status, at, error } }: { last: NonNullable<Channel['last_message']> }) {
  return (
    <div>
      <StatusBadge status={status === 'pending' ? 'retrying' : status} /> <When at={at} />
      {error !== null && status !== 'sent' && <Note size="xs">{sentence(error)}</Note>}
    </div>
  );
}

const testOf = (test: ReturnType<typeof useTest>): Column<Channel> => ({
  title: 'Test',
  isPlain: true,
  className: 'row-beside',
  cell: (channel) => (
    <SmallButton
      loading={test.isPending && test.variables.id === channel.id}
      onClick={() => test.mutate(channel)}
      aria-label={`Send a test message to ${channel.name}`}
    >
      Test
    </SmallButton>
  ),
});

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

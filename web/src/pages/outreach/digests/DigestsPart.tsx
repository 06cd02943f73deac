import { Group, Stack, Text, useMantineStyleNonce } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Pick } from '../../../analysis/Pick.tsx';
import { actorKindTitles, valueTitle } from '../../../analysis/words.ts';
import { api } from '../../../api/client.ts';
import { useSession } from '../../../api/session.ts';
import { useScopeValues } from '../../../parts/alerts/queries.ts';
import { ChannelChoice } from '../../../parts/channels/ChannelChoice.tsx';
import { useChannelNames } from '../../../parts/channels/channels.ts';
import { textColumn, timeColumn } from '../../../ui/cells.tsx';
import type { Column } from '../../../ui/columns.ts';
import { Form } from '../../../ui/Form.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { isOfMailServer, MailWarning, NoMailServer } from '../../../ui/NoMailServer.tsx';
import { OnSwitch } from '../../../ui/OnSwitch.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { ResourcePanel } from '../../../ui/ResourcePanel.tsx';
import { AllowedButton, RightsNote, useWhyNot } from '../../../ui/rights.tsx';
import type { RowActions } from '../../../ui/rowActions.tsx';
import { Note } from '../../../ui/text.tsx';
import { wordsIn } from '../../../ui/typed.ts';
import { useChange } from '../../../ui/useChange.ts';
import { type Digest, digestsKey, digestsQuery, type Frequency, type Part, previewQuery } from './queries.ts';

function nameOf({ frequency, team, actor_kind: kind }: Digest): string {
  const part = kind === null ? 'all costs' : valueTitle('actor_kind', kind).toLowerCase();
  return `${frequency === 'weekly' ? 'Weekly' : 'Monthly'}, ${team === null ? part : `team ${team}`}`;
}

type NamesOf = ReturnType<typeof useChannelNames>;

function receiversOf(digest: Digest, namesOf: NamesOf): string {
  const { recipients, chat, channel_ids: ids, is_personal: isPersonal } = digest;
  if (isPersonal) return `You (${recipients[0]?.email ?? ''})`;
  const people = recipients.map(({ email, unsubscribed_at: at }) =>
    at === null ? email : `${email} (unsubscribed)`,
  );
  return [...people, ...(chat ? ['the default channel'] : []), ...namesOf(ids)].join(', ') || 'Nobody';
}

/** Warnings that all digests share. They are shown once, above the list. */
function sharedWarnings(digests: readonly Digest[]): string[] {
  return (digests[0]?.warnings ?? []).filter((warning) =>
    digests.every(({ warnings }) => warnings.includes(warning)),
  );
}

function columnsFor(whyNot: string | null, shared: string[], namesOf: NamesOf): Column<Digest>[] {
  const receivers = (digest: Digest) => receiversOf(digest, namesOf);
  const own = ({ warnings }: Digest) => warnings.filter((warning) => !shared.includes(warning));
  return [
    {
      title: 'Digest',
      value: nameOf,
      cell: (digest) => (
        <>
          <Text size="sm" fw={500}>
            {nameOf(digest)}
          </Text>
          {own(digest).map((warning) => (
            <Note key={warning}>{isOfMailServer(warning) ? <NoMailServer /> : warning}</Note>
          ))}
        </>
      ),
    },
    textColumn('To', receivers, { isPlain: true, className: 'breaking' }),
    timeColumn('Next', ({ next_at }) => next_at, { look: { full: true } }),
    {
      title: 'On',
      isPlain: true,
      value: ({ enabled }) => (enabled ? 'on' : 'off'),
      cell: (digest) => (
        <OnSwitch
          name={nameOf(digest)}
          isOn={digest.enabled}
          act={(enabled) =>
            api.PUT('/api/v1/digests/{id}', { params: { path: { id: digest.id } }, body: { enabled } })
          }
          done="Digest saved."
          refresh={[digestsKey]}
          isReadOnly={whyNot !== null}
        />
      ),
      className: 'row-beside',
    },
  ];
}

/** Service accounts have no email address to send to. */
const actionsOf = (onSend: ((digest: Digest) => void) | null, namesOf: NamesOf): RowActions<Digest> => ({
  of: nameOf,
  more: (digest) => (onSend ? [{ label: 'Send it to me now', onClick: () => onSend(digest) }] : []),
  remove: {
    what: 'digest',
    text: (digest) => `${nameOf(digest)}, to ${receiversOf(digest, namesOf)}. It is not sent any more.`,
    act: ({ id }) => api.DELETE('/api/v1/digests/{id}', { params: { path: { id } } }),
    done: () => 'Digest deleted.',
    refresh: [digestsKey],
  },
});

export function DigestsPart() {
  const digests = useQuery(digestsQuery);
  const namesOf = useChannelNames();
  const { data: session } = useSession();
  const [isCreating, setIsCreating] = useState(false);
  const whyNot = useWhyNot()({ role: 'viewer', scope: 'alerts:write' });
  const send = useChange({
    act: async ({ id }: Digest) => {
      const { data } = await api.POST('/api/v1/digests/{id}/send', { params: { path: { id } }, body: {} });
      if (!data!.data.delivered) throw new Error(data!.data.error ?? 'The mail server refused the email.');
    },
    done: 'Sent to you.',
  });
  const shared = sharedWarnings(digests.data ?? []);
  return (
    <Stack gap="lg">
      <RightsNote reason={whyNot} />
      <ResourcePanel
        label="Digests"
        query={digests}
        columns={columnsFor(whyNot, shared, namesOf)}
        rowActions={whyNot === null ? actionsOf(session?.member ? send.mutate : null, namesOf) : null}
        minWidth={760}
        isOfPage
        lead={
          shared.length > 0 && (
            <MailWarning>
              {shared.map((warning) => (
                <span key={warning}>{isOfMailServer(warning) ? <NoMailServer /> : warning} </span>
              ))}
            </MailWarning>
          )
        }
        actions={
          <AllowedButton size="compact-sm" reason={whyNot} onClick={() => setIsCreating(true)}>
            New digest
          </AllowedButton>
        }
        empty={{
          title: 'No digests',
          text: 'Each one says what changed and why.',
        }}
      >
        {isCreating && <CreateDigest onClose={() => setIsCreating(false)} />}
      </ResourcePanel>
      {/* Rendered once the height of the list above is known. */}
      {!digests.isPending && <DigestPreview />}
    </Stack>
  );
}

const frequencies = [
  { value: 'weekly', label: 'Weekly' },
  { value: 'monthly', label: 'Monthly' },
] as const;

const everything = 'The whole organization';

/** Parts as values of a choice: no name of a team is the value of a kind. */
function usePartChoices() {
  const { data: teams = [] } = useScopeValues('team');
  const kinds = Object.entries(actorKindTitles);
  return [
    ...teams.map(({ value, label }) => ({ value: `team ${value}`, label })),
    ...kinds.map(([kind, label]) => ({ value: `kind ${kind}`, label })),
  ];
}

function partOf(value: string | null): Part {
  const [type, name] = [value?.slice(0, 5), value?.slice(5) ?? ''];
  return {
    team: type === 'team ' ? name : null,
    actor_kind: type === 'kind ' ? (name as keyof typeof actorKindTitles) : null,
  };
}

const toMe = { value: 'me', label: 'Me' };
const toOthers = { value: 'others', label: 'Others and channels' };

function CreateDigest({ onClose }: { onClose: () => void }) {
  const { data: session } = useSession();
  const parts = usePartChoices();
  const canSendToOthers = useWhyNot()({ role: 'admin', scope: null }) === null;
  const receivers = [...(session?.member ? [toMe] : []), ...(canSendToOthers ? [toOthers] : [])];
  return (
    <Form
      title="New digest"
      size="md"
      label="Create digest"
      initial={{
        frequency: 'weekly' as Frequency,
        part: null as string | null,
        to: receivers[0]?.value ?? 'me',
        recipients: '',
        channel_ids: [] as string[],
      }}
      fields={({ values, input }) => [
        { name: 'frequency', kind: 'choice', label: 'How often', options: frequencies },
        { name: 'part', kind: 'choice', label: 'Costs of', none: everything, options: parts },
        { name: 'to', kind: 'choice', label: 'Send it to', options: receivers },
        ...(values.to === 'others'
          ? [
              {
                name: 'recipients',
                label: 'Recipients',
                description: 'Email addresses, separated by commas.',
              } as const,
              <ChannelChoice
                description="They are set up in Settings, Notifications."
                isForDigest
                {...input('channel_ids')}
              />,
            ]
          : []),
      ]}
      act={({ frequency, part, to, recipients, channel_ids }) => {
        const people = wordsIn(recipients);
        const others = to === 'me' ? {} : { is_personal: false, recipients: people, channel_ids };
        return api.POST('/api/v1/digests', { body: { frequency, ...partOf(part), ...others } });
      }}
      done="Digest created."
      refresh={[digestsKey]}
      onClose={onClose}
    />
  );
}

/** The page's content security policy also applies inside the frame, so the email's style needs the nonce. */
function framed(html: string, nonce: string): string {
  return html.replace('<style>', `<style nonce="${nonce}">`);
}

/** Sets the height of the frame, which depends on its width because lines wrap. */
function fit(frame: HTMLIFrameElement): void {
  const resize = () => {
    const height = frame.contentDocument?.body.offsetHeight;
    if (height) frame.style.height = `${height + 2}px`;
  };
  resize();
  frame.contentWindow?.addEventListener('resize', resize);
}

function DigestPreview() {
  const [frequency, setFrequency] = useState<Frequency>('weekly');
  const [part, setPart] = useState<string | null>(null);
  const parts = usePartChoices();
  const nonce = useMantineStyleNonce()?.() ?? '';
  const preview = useQuery(previewQuery(frequency, partOf(part)));
  return (
    <Panel title="What it looks like">
      <Group gap="xs">
        <Pick
          label="How often"
          value={frequency}
          options={frequencies.map(({ value, label }) => ({ value, title: label }))}
          onChange={setFrequency}
        />
        <Pick
          label="Costs of"
          value={part ?? ''}
          options={[{ value: '', label: everything }, ...parts].map(({ value, label }) => ({
            value,
            title: label,
          }))}
          onChange={(value) => setPart(value || null)}
        />
      </Group>
      <Loaded query={preview} height={720}>
        {({ subject, html }) => (
          <>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              Subject: {subject}
            </Text>
            {/* Same origin, so that its height can be read. Scripts in it do not run. */}
            <iframe
              title="The email"
              className="digest-preview"
              sandbox="allow-same-origin"
              srcDoc={framed(html, nonce)}
              onLoad={(event) => fit(event.currentTarget)}
            />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

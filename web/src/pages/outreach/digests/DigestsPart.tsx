import { Stack, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { useSession } from '../../../api/session.ts';
import type { Column } from '../../../ui/columns.ts';
import { Confirm } from '../../../ui/Confirm.tsx';
import { isOfMailServer, MailWarning, NoMailServer } from '../../../ui/NoMailServer.tsx';
import { ResourcePanel } from '../../../ui/ResourcePanel.tsx';
import { AllowedButton, RightsNote, useWhyNot } from '../../../ui/rights.tsx';
import { RowMenu } from '../../../ui/RowMenu.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { When } from '../../../ui/When.tsx';
import { CreateDigest } from './CreateDigest.tsx';
import { DigestPreview } from './DigestPreview.tsx';
import { digestsKey, digestsQuery, type Digest } from './queries.ts';

function nameOf({ frequency, team }: Digest): string {
  return `${frequency === 'weekly' ? 'Weekly' : 'Monthly'}, ${team === null ? 'all costs' : `team ${team}`}`;
}

function receiversOf({ recipients, chat, is_personal: isPersonal }: Digest): string {
  if (isPersonal) return `You (${recipients[0]?.email ?? ''})`;
  const people = recipients.map(({ email, unsubscribed_at: at }) =>
    at === null ? email : `${email} (unsubscribed)`,
  );
  return [...people, ...(chat ? ['the chat'] : [])].join(', ') || 'Nobody';
}

type Asked = {
  whyNot: string | null;
  shared: string[];
  /** Null for service accounts, which have no email address. */
  onSend: ((digest: Digest) => void) | null;
  onDelete: (digest: Digest) => void;
};

/** Warnings that all digests share. They are shown once, above the list. */
function sharedWarnings(digests: readonly Digest[]): string[] {
  return (digests[0]?.warnings ?? []).filter((warning) =>
    digests.every(({ warnings }) => warnings.includes(warning)),
  );
}

function columnsFor({ whyNot, shared, onSend, onDelete }: Asked): Column<Digest>[] {
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
            <Text key={warning} size="sm" c="dimmed">
              {isOfMailServer(warning) ? <NoMailServer /> : warning}
            </Text>
          ))}
        </>
      ),
      className: 'breaking',
    },
    { title: 'To', isPlain: true, value: receiversOf, cell: receiversOf, className: 'breaking' },
    {
      title: 'Next',
      value: ({ next_at }) => next_at,
      cell: ({ next_at }) => (next_at === null ? '–' : <When at={next_at} full />),
    },
    {
      title: 'On',
      isPlain: true,
      value: ({ enabled }) => (enabled ? 'on' : 'off'),
      cell: (digest) => (whyNot === null ? <OnSwitch digest={digest} /> : digest.enabled ? 'On' : 'Off'),
      className: 'row-beside',
    },
    ...(whyNot === null
      ? [
          {
            title: 'Actions',
            cell: (digest: Digest) => (
              <RowMenu
                of={nameOf(digest)}
                items={[
                  ...(onSend ? [{ label: 'Send it to me now', onClick: () => onSend(digest) }] : []),
                  { label: 'Delete', onClick: () => onDelete(digest) },
                ]}
              />
            ),
          },
        ]
      : []),
  ];
}

function OnSwitch({ digest }: { digest: Digest }) {
  const change = useChange({
    act: async (enabled: boolean) => {
      await api.PUT('/api/v1/digests/{id}', { params: { path: { id: digest.id } }, body: { enabled } });
    },
    done: 'Digest saved.',
    refresh: [digestsKey],
  });
  return (
    <Switch
      checked={change.isPending ? change.variables : digest.enabled}
      disabled={change.isPending}
      onChange={(event) => change.mutate(event.currentTarget.checked)}
      aria-label={`${nameOf(digest)} is on`}
    />
  );
}

export function DigestsPart() {
  const digests = useQuery(digestsQuery);
  const { data: session } = useSession();
  const [isCreating, setIsCreating] = useState(false);
  const [deleting, setDeleting] = useState<Digest | null>(null);
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
        rowsOf={(list) => list}
        columns={columnsFor({
          whyNot,
          shared,
          onDelete: setDeleting,
          onSend: session?.member ? send.mutate : null,
        })}
        keyOf={({ id }) => id}
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
        {deleting && <DeleteDigest digest={deleting} onClose={() => setDeleting(null)} />}
      </ResourcePanel>
      {/* Rendered once the height of the list above is known. */}
      {!digests.isPending && <DigestPreview />}
    </Stack>
  );
}

function DeleteDigest({ digest, onClose }: { digest: Digest; onClose: () => void }) {
  const remove = useChange({
    act: async () => {
      await api.DELETE('/api/v1/digests/{id}', { params: { path: { id: digest.id } } });
    },
    done: 'Digest deleted.',
    refresh: [digestsKey],
  });
  return (
    <Confirm
      title="Delete this digest?"
      label="Delete digest"
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate(undefined, { onSettled: onClose })}
    >
      {nameOf(digest)}, to {receiversOf(digest)}. It is not sent any more.
    </Confirm>
  );
}

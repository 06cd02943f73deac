import { Anchor, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { detailsOfShare, titleOfShare } from '../../analysis/sharing.ts';
import type { Answer } from '../../api/answer.ts';
import { api } from '../../api/client.ts';
import type { Column } from '../../ui/columns.ts';
import { Confirm } from '../../ui/Confirm.tsx';
import { ResourcePanel } from '../../ui/ResourcePanel.tsx';
import { AllowedButton, useWhyNot } from '../../ui/rights.tsx';
import { useChange } from '../../ui/useChange.ts';
import { When } from '../../ui/When.tsx';
import { actorInWords } from './auditSentence.ts';
import { tokensQuery } from './queries.ts';

const path = '/api/v1/share-links';

type ShareLink = Answer<typeof path>[number];

const pages = { overview: 'Overview', explore: 'Explore' } as const;

function titleOf({ kind, query }: ShareLink): string {
  if (kind === 'badge') return badgeTitle(query);
  return titleOfShare(query);
}

function badgeTitle(query: string): string {
  const { label, period = '', repository, team } = Object.fromEntries(new URLSearchParams(query));
  const of = repository ?? (team === undefined ? 'all costs' : `team ${team}`);
  return `${label ?? `CI, ${period.replaceAll('_', ' ')}`}: ${of}`;
}

const charts = { bars: 'bars', lines: 'lines', treemap: 'treemap', heatmap: 'heat map' } as const;

/** Where and how it shows its view: two links can differ in this alone. */
function placeOf({ kind, page, chart, query, sites }: ShareLink): string {
  if (kind === 'badge') return 'Badge';
  const place = page === 'explore' ? `${pages[page]} as ${charts[chart]}` : pages[page];
  const embedded = kind === 'embed' && `embedded in ${sites.join(', ')}`;
  return [place, detailsOfShare(query), embedded].filter(Boolean).join(', ');
}

/** The end of its id. */
const shortId = ({ id }: ShareLink) => id.slice(-6);

/** What the link shows, for those who are signed in. The link itself is not stored. */
function viewOf({ page, chart, query }: ShareLink): string {
  const look = page === 'explore' && chart !== 'bars' ? `&chart=${chart}` : '';
  return `${page === 'explore' ? '/explore' : '/'}?${query}${look}`;
}

type Asked = {
  names: ReadonlyMap<string, string>;
  whyNot: string | null;
  onRevoke: (link: ShareLink) => void;
};

function columnsFor({ names, whyNot, onRevoke }: Asked): Column<ShareLink>[] {
  return [
    {
      title: 'View',
      value: titleOf,
      cell: (link) => (
        <>
          {link.kind === 'badge' ? (
            <Text size="sm" fw={500}>
              {titleOf(link)}
            </Text>
          ) : (
            <Anchor component={Link} href={viewOf(link)} size="sm" fw={500}>
              {titleOf(link)}
            </Anchor>
          )}
          <Text size="sm" c="dimmed">
            {placeOf(link)} · link {shortId(link)}
          </Text>
        </>
      ),
      className: 'breaking',
    },
    {
      title: 'Expires',
      value: ({ expires_at }) => expires_at,
      cell: ({ expires_at }) => (expires_at === null ? 'Never' : <When at={expires_at} isRough />),
    },
    {
      title: 'Shared by',
      isPlain: true,
      value: ({ author }) => actorInWords(author, names).who,
      cell: ({ author }) => actorInWords(author, names).who,
    },
    {
      title: 'Shared',
      value: ({ created_at }) => created_at,
      cell: ({ created_at }) => <When at={created_at} />,
      isHiddenOnPhones: true,
    },
    {
      title: 'Last opened',
      value: ({ last_used_at }) => last_used_at,
      cell: ({ last_used_at }) => (last_used_at === null ? 'Never' : <When at={last_used_at} />),
    },
    ...(whyNot === null
      ? [{ title: 'Actions', cell: (link: ShareLink) => <RevokeButton {...{ link, onRevoke }} /> }]
      : []),
  ];
}

type ButtonProps = { link: ShareLink; onRevoke: (link: ShareLink) => void };

function RevokeButton({ link, onRevoke }: ButtonProps) {
  return (
    <AllowedButton
      size="compact-sm"
      variant="default"
      reason={link.can_revoke ? null : 'Only the person who shared it, admins and owners can revoke it.'}
      aria-label={`Revoke the link to ${titleOf(link)}, ${shortId(link)}`}
      onClick={() => onRevoke(link)}
    >
      Revoke
    </AllowedButton>
  );
}

export function ShareLinksPart() {
  const links = useQuery({ queryKey: [path], queryFn: async () => (await api.GET(path)).data!.data });
  const [revoking, setRevoking] = useState<ShareLink | null>(null);
  const why = useWhyNot();
  const whyNot = why({ role: 'member', scope: 'shares:write' });
  const isAdmin = why({ role: 'admin', scope: 'admin' }) === null;
  const tokens = useQuery({ ...tokensQuery, enabled: isAdmin });
  const names = new Map(tokens.data?.map(({ id, name }) => [id, name]));
  return (
    <ResourcePanel
      label="Share links"
      query={links}
      rowsOf={(list) => list}
      columns={columnsFor({ names, whyNot, onRevoke: setRevoking })}
      keyOf={({ id }) => id}
      minWidth={760}
      fileName="runcost-share-links"
      isOfPage
      actions={
        <Button component={Link} href="/explore" size="compact-sm">
          Share a view
        </Button>
      }
      empty={{
        title: 'No share links',
        text: (
          <>
            Open{' '}
            <Anchor component={Link} href="/explore" inherit underline="always">
              Explore
            </Anchor>{' '}
            or the{' '}
            <Anchor component={Link} href="/" inherit underline="always">
              overview
            </Anchor>
            , and press Share to show a view to someone without an account.
          </>
        ),
      }}
    >
      {revoking && <RevokeLink link={revoking} names={names} onClose={() => setRevoking(null)} />}
    </ResourcePanel>
  );
}

type RevokeProps = { link: ShareLink; names: ReadonlyMap<string, string>; onClose: () => void };

function RevokeLink({ link, names, onClose }: RevokeProps) {
  const revoke = useChange({
    act: async () => {
      await api.DELETE('/api/v1/share-links/{id}', { params: { path: { id: link.id } } });
    },
    done: 'Link revoked.',
    refresh: [[path]],
  });
  return (
    <Confirm
      title="Revoke this link?"
      label="Revoke link"
      isBusy={revoke.isPending}
      onClose={onClose}
      onConfirm={() => revoke.mutate(undefined, { onSettled: onClose })}
    >
      {titleOf(link)} (link {shortId(link)}), shared by {actorInWords(link.author, names).who}. It stops
      working immediately, for everyone who has it.
    </Confirm>
  );
}

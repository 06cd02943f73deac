import { Anchor, Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { Created } from '../../analysis/Created.tsx';
import { detailsOfShare, frameOf, titleOfShare } from '../../analysis/sharing.ts';
import type { Answer } from '../../api/answer.ts';
import { api } from '../../api/client.ts';
import { useWho } from '../../parts/useWho.ts';
import type { Column } from '../../ui/columns.ts';
import { Confirm } from '../../ui/Confirm.tsx';
import { ResourcePanel } from '../../ui/ResourcePanel.tsx';
import { useWhyNot } from '../../ui/rights.tsx';
import { RowMenu } from '../../ui/RowMenu.tsx';
import { useChange } from '../../ui/useChange.ts';
import { When } from '../../ui/When.tsx';

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

/** What its maker calls it, else its question. */
const nameOf = (link: ShareLink): string => link.name ?? titleOf(link);

const charts = { bars: 'bars', lines: 'lines', treemap: 'treemap', heatmap: 'heat map' } as const;

/** Where and how the link shows its view. Two links can differ in this alone. */
function placeOf({ kind, page, chart, query, sites }: ShareLink): string {
  if (kind === 'badge') return 'Badge';
  const place = page === 'explore' ? `${pages[page]} as ${charts[chart]}` : pages[page];
  const embedded = kind === 'embed' && `embedded in ${sites.join(', ')}`;
  return [place, detailsOfShare(query), embedded].filter(Boolean).join(', ');
}

const shortId = ({ id }: ShareLink) => id.slice(-6);

/** The view's address for signed-in people. The link itself is not stored. */
function viewOf({ page, chart, query }: ShareLink): string {
  const look = page === 'explore' && chart !== 'bars' ? `&chart=${chart}` : '';
  return `${page === 'explore' ? '/explore' : '/'}?${query}${look}`;
}

type Who = (actor: string) => string;

type Asked = {
  whoIs: Who;
  whyNot: string | null;
  onRevoke: (link: ShareLink) => void;
  onRenew: (link: ShareLink) => void;
};

function columnsFor({ whoIs, whyNot, onRevoke, onRenew }: Asked): Column<ShareLink>[] {
  return [
    {
      title: 'View',
      value: nameOf,
      csv: (link) => [link.name, titleOf(link)].filter(Boolean).join(' · '),
      cell: (link) => (
        <>
          {link.kind === 'badge' ? (
            <Text size="sm" fw={500}>
              {nameOf(link)}
            </Text>
          ) : (
            <Anchor component={Link} href={viewOf(link)} size="sm" fw={500}>
              {nameOf(link)}
            </Anchor>
          )}
          <Text size="sm" c="dimmed">
            {link.name !== null && `${titleOf(link)} · `}
            {placeOf(link)} · link …{shortId(link)}, shown once
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
      value: ({ author }) => whoIs(author),
      cell: ({ author }) => whoIs(author),
    },
    {
      title: 'Shared',
      value: ({ created_at }) => created_at,
      cell: ({ created_at }) => <When at={created_at} />,
      isHiddenOnPhones: true,
    },
    {
      title: 'Last used',
      value: ({ last_used_at }) => last_used_at,
      cell: ({ last_used_at }) => (last_used_at === null ? 'Never' : <When at={last_used_at} />),
    },
    ...(whyNot === null
      ? [
          {
            title: 'Actions',
            cell: (link: ShareLink) => <Actions link={link} onRevoke={onRevoke} onRenew={onRenew} />,
          },
        ]
      : []),
  ];
}

type ActionProps = { link: ShareLink } & Pick<Asked, 'onRevoke' | 'onRenew'>;

function Actions({ link, onRevoke, onRenew }: ActionProps) {
  const reason = link.can_revoke ? null : 'Only the person who shared it, admins and owners can revoke it.';
  return (
    <RowMenu
      of={`${link.name ?? `the link to ${titleOf(link)}`}, ${shortId(link)}`}
      items={[
        ...(link.kind === 'badge' ? [] : [{ label: 'Make a new link', onClick: () => onRenew(link) }]),
        { label: 'Revoke', reason, onClick: () => onRevoke(link) },
      ]}
    />
  );
}

const dayMilliseconds = 86_400_000;

/** Creates a link to the same view with the same lifetime, because a lost link cannot be shown again. */
function useNewLink() {
  return useChange({
    act: async ({ kind, sites, created_at: from, expires_at: until, ...link }: ShareLink) => {
      const { name, page, chart, query } = link;
      const days = Math.max(1, Math.round((Date.parse(until!) - Date.parse(from)) / dayMilliseconds));
      const of = kind === 'embed' ? { kind, sites } : {};
      const body = { name, page, chart, query, valid_days: days, ...of };
      return (await api.POST(path, { body })).data!.data;
    },
    refresh: [[path]],
  });
}

export function ShareLinksPart() {
  const links = useQuery({ queryKey: [path], queryFn: async () => (await api.GET(path)).data!.data });
  const [revoking, setRevoking] = useState<ShareLink | null>(null);
  const whyNot = useWhyNot()({ role: 'member', scope: 'shares:write' });
  const whoIs = useWho();
  const renewed = useNewLink();
  // A second click would create a second link that nobody sees.
  const renew = (link: ShareLink) => {
    if (!renewed.isPending) renewed.mutate(link);
  };
  return (
    <ResourcePanel
      label="Share links"
      query={links}
      rowsOf={(list) => list}
      columns={columnsFor({ whoIs, whyNot, onRevoke: setRevoking, onRenew: renew })}
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
      {renewed.data && (
        <Created
          title="Your new link"
          what="the new link"
          value={renewed.data.kind === 'embed' ? frameOf(renewed.data.url) : renewed.data.url}
          at={renewed.data.expires_at}
          onClose={renewed.reset}
        />
      )}
      {revoking && <RevokeLink link={revoking} whoIs={whoIs} onClose={() => setRevoking(null)} />}
    </ResourcePanel>
  );
}

type RevokeProps = { link: ShareLink; whoIs: Who; onClose: () => void };

function RevokeLink({ link, whoIs, onClose }: RevokeProps) {
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
      {nameOf(link)} (link {shortId(link)}), shared by {whoIs(link.author)}. It stops working immediately, for
      everyone who has it.
    </Confirm>
  );
}

import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { detailsOfShare, frameOf, titleOfShare } from '../../analysis/sharing.ts';
import { api } from '../../api/client.ts';
import { type Answer, dataQuery } from '../../api/query.ts';
import { useWho } from '../../parts/people/useWho.ts';
import { textColumn, timeColumn } from '../../ui/cells.tsx';
import type { Column } from '../../ui/columns.ts';
import { Needs } from '../../ui/Needs.tsx';
import { PageTitle } from '../../ui/Panel.tsx';
import { ResourcePanel } from '../../ui/ResourcePanel.tsx';
import { useWhyNot } from '../../ui/rights.tsx';
import type { RowActions } from '../../ui/rowActions.tsx';
import { Created } from '../../ui/SecretOnce.tsx';
import { InText, Note, TextLink } from '../../ui/text.tsx';
import { useChange } from '../../ui/useChange.ts';

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

/** Where and how the link shows its view. Two links can differ in this alone. */
function placeOf({ kind, page, chart, query, sites }: ShareLink): string {
  if (kind === 'badge') return 'Badge';
  const place = page === 'explore' ? `${pages[page]} as ${chart}` : pages[page];
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

function columnsFor(whoIs: Who): Column<ShareLink>[] {
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
            <TextLink href={viewOf(link)} size="sm" fw={500}>
              {nameOf(link)}
            </TextLink>
          )}
          <Note>
            {link.name !== null && `${titleOf(link)} · `}
            {placeOf(link)} · link …{shortId(link)}
          </Note>
        </>
      ),
    },
    timeColumn('Expires', ({ expires_at }) => expires_at, { none: 'Never', look: { isRough: true } }),
    textColumn('Shared by', ({ author }) => whoIs(author), { isPlain: true }),
    timeColumn('Shared', ({ created_at }) => created_at, { isHiddenOnPhones: true }),
    timeColumn('Last used', ({ last_used_at }) => last_used_at, { none: 'Never' }),
  ];
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

const actionsOf = (whoIs: Who, onRenew: (link: ShareLink) => void): RowActions<ShareLink> => ({
  of: (link) => `${link.name ?? `the link to ${titleOf(link)}`}, ${shortId(link)}`,
  more: (link) => (link.kind === 'badge' ? [] : [{ label: 'Make a new link', onClick: () => onRenew(link) }]),
  remove: {
    verb: 'Revoke',
    what: 'link',
    text: (link) =>
      `${nameOf(link)} (link ${shortId(link)}), shared by ${whoIs(link.author)}. It stops working immediately, ` +
      'for everyone who has it.',
    act: ({ id }) => api.DELETE('/api/v1/share-links/{id}', { params: { path: { id } } }),
    done: () => 'Link revoked.',
    refresh: [[path]],
    reason: (link) =>
      link.can_revoke ? null : 'Only the person who shared it, admins and owners can revoke it.',
  },
});

export function Page() {
  const links = useQuery(dataQuery(path));
  const whyNot = useWhyNot()({ role: 'member', scope: 'shares:write' });
  const whoIs = useWho();
  const renewed = useNewLink();
  // A second click would create a second link that nobody sees.
  const renew = (link: ShareLink) => {
    if (!renewed.isPending) renewed.mutate(link);
  };
  return (
    <>
      <PageTitle
        back={{ href: '/explore', label: 'Explore' }}
        title="Share links"
        about="Views, badges and embeds for people without an account. A link is shown only when you create it."
      >
        <Button component={Link} href="/explore" variant="default">
          Share a view
        </Button>
      </PageTitle>
      <Needs role="viewer" scope="costs:read">
        <ResourcePanel
          label="Share links"
          query={links}
          columns={columnsFor(whoIs)}
          rowActions={whyNot === null ? actionsOf(whoIs, renew) : null}
          minWidth={760}
          fileName="runcost-share-links"
          empty={{
            title: 'No share links',
            text: (
              <>
                Open <InText href="/explore">Explore</InText> or the <InText href="/">overview</InText>, and
                press Share to show a view to someone without an account.
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
        </ResourcePanel>
      </Needs>
    </>
  );
}

import { Anchor, NavLink, Stack, Text } from '@mantine/core';
import { lazy, Suspense, type ComponentType } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { PartAlive } from '../../layout/earlyClick.ts';
import { Choice } from '../../ui/Choice.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Needs } from '../../ui/Needs.tsx';
import { PageTitle } from '../../ui/PageTitle.tsx';
import type { Role } from '../../ui/rights.tsx';
import './settings.css';

const AuditPart = lazy(async () => ({ default: (await import('./AuditPart.tsx')).AuditPart }));
const DigestsPart = lazy(async () => ({
  default: (await import('../outreach/digests/DigestsPart.tsx')).DigestsPart,
}));
const MembersPart = lazy(async () => ({ default: (await import('./MembersPart.tsx')).MembersPart }));
const NotificationsPart = lazy(async () => ({
  default: (await import('../outreach/notifications/NotificationsPart.tsx')).NotificationsPart,
}));
const OrganizationPart = lazy(async () => ({
  default: (await import('./OrganizationPart.tsx')).OrganizationPart,
}));
const OwnersPart = lazy(async () => ({
  default: (await import('../ledger/ownership/OwnersPart.tsx')).OwnersPart,
}));
const PricingPart = lazy(async () => ({
  default: (await import('../ledger/pricing/PricingPart.tsx')).PricingPart,
}));
const PullRequestsPart = lazy(async () => ({
  default: (await import('../outreach/pullRequests/PullRequestsPart.tsx')).PullRequestsPart,
}));
const SessionsPart = lazy(async () => ({
  default: (await import('./SessionsPart.tsx')).SessionsPart,
}));
const ShareLinksPart = lazy(async () => ({
  default: (await import('./ShareLinksPart.tsx')).ShareLinksPart,
}));
const SingleSignOnPart = lazy(async () => ({
  default: (await import('./SingleSignOnPart.tsx')).SingleSignOnPart,
}));
const TokensPart = lazy(async () => ({ default: (await import('./TokensPart.tsx')).TokensPart }));

type Part = {
  name: string;
  title: string;
  about: string;
  role: Role;
  /** Null: any scope. */
  scope: string | null;
  shown: ComponentType;
};

const topics: { title: string; parts: Part[] }[] = [
  {
    title: 'General',
    parts: [
      {
        ...{ name: 'organization', title: 'Organization', role: 'viewer', scope: 'admin' },
        ...{ about: 'Its name and plan, and how it reads times and periods.', shown: OrganizationPart },
      },
      {
        ...{ name: 'notifications', title: 'Notifications', role: 'viewer', scope: 'admin' },
        ...{ about: 'Where alerts are sent, by email and chat.', shown: NotificationsPart },
      },
      {
        ...{ name: 'digests', title: 'Digests', role: 'viewer', scope: 'alerts:read' },
        ...{
          about: 'What CI cost last week or month, at 08:00 on the first day of the next.',
          shown: DigestsPart,
        },
      },
      {
        ...{ name: 'pull-requests', title: 'Pull requests', role: 'viewer', scope: 'costs:read' },
        ...{ about: 'What CI costs, as a comment and a check on pull requests.', shown: PullRequestsPart },
      },
      {
        ...{ name: 'audit', title: 'Audit log', role: 'admin', scope: 'admin' },
        ...{ about: 'Who changed what, and when.', shown: AuditPart },
      },
    ],
  },
  {
    title: 'People and access',
    parts: [
      {
        ...{ name: 'members', title: 'Members', role: 'viewer', scope: 'admin' },
        ...{ about: 'People who manage costs, and what they may do.', shown: MembersPart },
      },
      {
        ...{ name: 'single-sign-on', title: 'Single sign-on', role: 'admin', scope: 'admin' },
        ...{ about: 'Let people sign in with your company’s identity provider.', shown: SingleSignOnPart },
      },
      {
        ...{ name: 'tokens', title: 'Tokens', role: 'admin', scope: 'admin' },
        ...{ about: 'Access for scripts and people.', shown: TokensPart },
      },
      {
        ...{ name: 'sessions', title: 'Sessions', role: 'viewer', scope: null },
        ...{
          about: 'Browsers that are signed in. Sign out those you don’t know, and revoke their token.',
          shown: SessionsPart,
        },
      },
      {
        ...{ name: 'share-links', title: 'Share links', role: 'viewer', scope: 'costs:read' },
        ...{
          about: 'Read-only views for people without an account. Copy a link when you create it.',
          shown: ShareLinksPart,
        },
      },
    ],
  },
  {
    title: 'Costs',
    parts: [
      {
        ...{ name: 'pricing', title: 'Pricing', role: 'viewer', scope: 'costs:read' },
        ...{ about: 'What a minute of each runner costs.', shown: PricingPart },
      },
      {
        ...{ name: 'owners', title: 'Teams and owners', role: 'viewer', scope: 'costs:read' },
        ...{ about: 'Which team and cost center a cost belongs to.', shown: OwnersPart },
      },
    ],
  },
];
const parts = topics.flatMap((topic) => topic.parts);

export function Page() {
  const { part: name = 'organization' } = useParams<{ part?: string }>();
  const part = parts.find((each) => each.name === name);
  return (
    <div className="settings">
      <Topics part={part} />
      <Stack gap="md" miw={0} className="settings-part">
        <PageTitle title={part?.title ?? 'Settings'} about={part?.about} />
        {part ? (
          <Needs role={part.role} scope={part.scope}>
            <Suspense fallback={<Loading height={480} />}>
              <part.shown />
              <PartAlive />
            </Suspense>
          </Needs>
        ) : (
          <Empty title="Settings page not found">
            <Anchor component={Link} href="/settings/organization">
              Go to organization settings
            </Anchor>
          </Empty>
        )}
      </Stack>
    </div>
  );
}

/** A list at the side, and a choice where there is no room for one. */
function Topics({ part }: { part: Part | undefined }) {
  const [, navigate] = useLocation();
  return (
    <>
      <nav aria-label="Settings" className="settings-topics mantine-visible-from-md">
        {topics.map(({ title, parts: listed }) => (
          <div key={title} role="group" aria-label={title}>
            <Text size="xs" fw={500} c="dimmed" px={10} pb={4} aria-hidden>
              {title}
            </Text>
            {listed.map((each) => (
              <NavLink
                key={each.name}
                component={Link}
                href={`/settings/${each.name}`}
                label={each.title}
                {...(each === part && { 'aria-current': 'page' as const })}
              />
            ))}
          </div>
        ))}
      </nav>
      <div className="settings-choice mantine-hidden-from-md">
        <Choice
          label="Settings"
          options={parts.map(({ name, title }) => ({ value: name, label: title }))}
          value={part?.name ?? ''}
          onChange={(name) => navigate(`/settings/${name}`)}
        />
      </div>
    </>
  );
}

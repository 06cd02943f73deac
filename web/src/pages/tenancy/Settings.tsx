import { Anchor, NavLink, Stack, Text } from '@mantine/core';
import { lazy, Suspense, type ComponentType } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { PartAlive } from '../../layout/earlyClick.ts';
import { settingsParts, settingsTopics, type SettingsPart } from '../../layout/settingsTopics.ts';
import { Choice } from '../../ui/Choice.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Needs } from '../../ui/Needs.tsx';
import { PageTitle } from '../../ui/PageTitle.tsx';
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

const shown: Record<SettingsPart['name'], ComponentType> = {
  organization: OrganizationPart,
  notifications: NotificationsPart,
  digests: DigestsPart,
  'pull-requests': PullRequestsPart,
  audit: AuditPart,
  members: MembersPart,
  'single-sign-on': SingleSignOnPart,
  tokens: TokensPart,
  sessions: SessionsPart,
  'share-links': ShareLinksPart,
  pricing: PricingPart,
  owners: OwnersPart,
};

export function Page() {
  const { part: name = 'organization' } = useParams<{ part?: string }>();
  const part = settingsParts.find((each) => each.name === name);
  const Shown = part && shown[part.name];
  return (
    <div className="settings">
      <Topics part={part} />
      <Stack gap="md" miw={0} className="settings-part">
        <PageTitle title={part?.title ?? 'Settings'} about={part?.about} />
        {part && Shown ? (
          <Needs role={part.role} scope={part.scope}>
            <Suspense fallback={<Loading height={480} />}>
              <Shown />
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

/** A list at the side, or a select field on narrow screens. */
function Topics({ part }: { part: SettingsPart | undefined }) {
  const [, navigate] = useLocation();
  return (
    <>
      <nav aria-label="Settings" className="settings-topics mantine-visible-from-md">
        {settingsTopics.map(({ title, parts: listed }) => (
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
          options={settingsParts.map(({ name, title }) => ({ value: name, label: title }))}
          value={part?.name ?? ''}
          onChange={(name) => navigate(`/settings/${name}`)}
        />
      </div>
    </>
  );
}

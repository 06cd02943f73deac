import { NavLink, Stack, Text } from '@mantine/core';
import { Suspense, type ComponentType } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { settingsParts, settingsTopics, type SettingsPart } from './layout/settingsTopics.ts';
import { Choice } from './ui/Choice.tsx';
import { PartAlive } from './ui/earlyClick.ts';
import { late } from './ui/late.ts';
import { Loading } from './ui/Loaded.tsx';
import { Needs } from './ui/Needs.tsx';
import { Empty, PageTitle } from './ui/Panel.tsx';
import { TextLink } from './ui/text.tsx';
import './pages/tenancy/settings.css';

const shown: Record<SettingsPart['name'], ComponentType> = {
  organization: late(() => import('./pages/tenancy/OrganizationPart.tsx'), 'OrganizationPart'),
  notifications: late(
    () => import('./pages/outreach/notifications/NotificationsPart.tsx'),
    'NotificationsPart',
  ),
  digests: late(() => import('./pages/outreach/digests/DigestsPart.tsx'), 'DigestsPart'),
  'pull-requests': late(
    () => import('./pages/outreach/pullRequests/PullRequestsPart.tsx'),
    'PullRequestsPart',
  ),
  audit: late(() => import('./pages/tenancy/AuditPart.tsx'), 'AuditPart'),
  members: late(() => import('./pages/tenancy/MembersPart.tsx'), 'MembersPart'),
  'single-sign-on': late(() => import('./pages/tenancy/SingleSignOnPart.tsx'), 'SingleSignOnPart'),
  tokens: late(() => import('./pages/tenancy/TokensPart.tsx'), 'TokensPart'),
  sessions: late(() => import('./pages/tenancy/SessionsPart.tsx'), 'SessionsPart'),
  'share-links': late(() => import('./pages/tenancy/ShareLinksPart.tsx'), 'ShareLinksPart'),
  pricing: late(() => import('./pages/ledger/pricing/PricingPart.tsx'), 'PricingPart'),
  owners: late(() => import('./pages/ledger/ownership/OwnersPart.tsx'), 'OwnersPart'),
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
            <TextLink href="/settings/organization">Go to organization settings</TextLink>
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

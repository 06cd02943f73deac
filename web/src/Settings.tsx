import { NavLink, Stack } from '@mantine/core';
import { Suspense, type ComponentType } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { PageTabs } from './layout/PageTabs.tsx';
import { settingsTopics, type SettingsPart, type SettingsTopic } from './layout/settingsTopics.ts';
import { Choice } from './ui/Choice.tsx';
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
  pricing: late(() => import('./pages/ledger/pricing/PricesPart.tsx'), 'PricesPart'),
  discounts: late(() => import('./pages/ledger/pricing/DiscountsPart.tsx'), 'DiscountsPart'),
  'price-history': late(() => import('./pages/ledger/pricing/PriceHistoryPart.tsx'), 'PriceHistoryPart'),
  owners: late(() => import('./pages/ledger/ownership/OwnersPart.tsx'), 'OwnersPart'),
  actors: late(() => import('./pages/ledger/ownership/ActorsPart.tsx'), 'ActorsPart'),
};

export function Page() {
  const { part: name = 'organization' } = useParams<{ part?: string }>();
  const topic = settingsTopics.find(({ parts }) => parts.some((each) => each.name === name));
  const part = topic?.parts.find((each) => each.name === name);
  const Shown = part && shown[part.name];
  return (
    <div className="settings">
      <Topics topic={topic} />
      <Stack gap="md" miw={0}>
        {topic && topic.parts.length > 1 && (
          <PageTabs
            label={topic.title}
            tabs={topic.parts.map((each) => ({ href: addressOf(each), label: each.title }))}
          />
        )}
        {/* Another part is another title, which must not move below tabs that come with it. */}
        <Stack key={name} gap="md" className="settings-part">
          <PageTitle title={part?.title ?? 'Settings'} about={part?.about} />
          {part && Shown ? (
            <Needs role={part.role} scope={part.scope}>
              <Suspense fallback={<Loading height={480} />}>
                <Shown />
              </Suspense>
            </Needs>
          ) : (
            <Empty title="Settings page not found">
              <TextLink href="/settings/organization">Go to organization settings</TextLink>
            </Empty>
          )}
        </Stack>
      </Stack>
    </div>
  );
}

const addressOf = ({ name }: Pick<SettingsPart, 'name'>) => `/settings/${name}`;

/** A list at the side, or a select field on narrow screens. */
function Topics({ topic }: { topic: SettingsTopic | undefined }) {
  const [, navigate] = useLocation();
  const listed = settingsTopics.map((each) => ({ topic: each, href: addressOf(each.parts[0]!) }));
  return (
    <>
      <nav aria-label="Settings" className="settings-topics mantine-visible-from-md">
        {listed.map(({ topic: each, href }) => (
          <NavLink
            key={href}
            component={Link}
            href={href}
            label={each.title}
            {...(each === topic && { 'aria-current': 'page' as const })}
          />
        ))}
      </nav>
      <div className="settings-choice mantine-hidden-from-md">
        <Choice
          label="Settings"
          options={listed.map(({ topic: { title }, href }) => ({ value: href, label: title }))}
          value={topic ? addressOf(topic.parts[0]!) : ''}
          onChange={(href) => navigate(href)}
        />
      </div>
    </>
  );
}

import { Anchor, Button, Group } from '@mantine/core';
import { lazy, Suspense, type ComponentType } from 'react';
import { Link, useParams } from 'wouter';
import { Empty } from '../../ui/Empty.tsx';
import { Loading } from '../../ui/Loading.tsx';
import { Needs } from '../../ui/Needs.tsx';
import { PageTitle } from '../../ui/PageTitle.tsx';
import type { Role } from '../../ui/rights.tsx';

const AuditPart = lazy(async () => ({ default: (await import('./AuditPart.tsx')).AuditPart }));
const MembersPart = lazy(async () => ({ default: (await import('./MembersPart.tsx')).MembersPart }));
const NotificationsPart = lazy(async () => ({
  default: (await import('../outreach/notifications/NotificationsPart.tsx')).NotificationsPart,
}));
const OrganizationPart = lazy(async () => ({
  default: (await import('./OrganizationPart.tsx')).OrganizationPart,
}));
const PricingPart = lazy(async () => ({
  default: (await import('../ledger/pricing/PricingPart.tsx')).PricingPart,
}));
const SessionsPart = lazy(async () => ({
  default: (await import('./SessionsPart.tsx')).SessionsPart,
}));
const TokensPart = lazy(async () => ({ default: (await import('./TokensPart.tsx')).TokensPart }));

type Part = {
  name: string;
  title: string;
  role: Role;
  /** Null: any scope. */
  scope: string | null;
  shown: ComponentType;
};

const parts: Part[] = [
  { name: 'organization', title: 'Organization', role: 'viewer', scope: 'admin', shown: OrganizationPart },
  { name: 'members', title: 'Members', role: 'viewer', scope: 'admin', shown: MembersPart },
  { name: 'tokens', title: 'Tokens', role: 'admin', scope: 'admin', shown: TokensPart },
  { name: 'sessions', title: 'Sessions', role: 'viewer', scope: null, shown: SessionsPart },
  { name: 'pricing', title: 'Pricing', role: 'viewer', scope: 'costs:read', shown: PricingPart },
  { name: 'notifications', title: 'Notifications', role: 'viewer', scope: 'admin', shown: NotificationsPart },
  { name: 'audit', title: 'Audit log', role: 'admin', scope: 'admin', shown: AuditPart },
];

export function Page() {
  const { part: name = 'organization' } = useParams<{ part?: string }>();
  const part = parts.find((each) => each.name === name);
  return (
    <>
      <PageTitle title={part ? `Settings: ${part.title}` : 'Settings'} />
      <Group component="nav" aria-label="Settings" gap={6}>
        {parts.map((each) => (
          <Button
            key={each.name}
            component={Link}
            href={`/settings/${each.name}`}
            size="compact-sm"
            variant={each === part ? 'filled' : 'default'}
            {...(each === part && { 'aria-current': 'page' as const })}
          >
            {each.title}
          </Button>
        ))}
      </Group>
      {part ? (
        <Needs role={part.role} scope={part.scope} title={`${part.title}: no access`}>
          <Suspense fallback={<Loading height={480} />}>
            <part.shown />
          </Suspense>
        </Needs>
      ) : (
        <Empty title="Settings page not found">
          <Anchor component={Link} href="/settings/organization">
            Go to organization settings
          </Anchor>
        </Empty>
      )}
    </>
  );
}

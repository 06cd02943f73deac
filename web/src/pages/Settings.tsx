import { Anchor, Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link, useParams } from 'wouter';
import { Empty } from '../shown/Empty.tsx';
import { PageTitle } from '../shown/PageTitle.tsx';
import type { Role } from '../shown/rights.tsx';
import { AuditPart } from './settings/AuditPart.tsx';
import { MembersPart } from './settings/MembersPart.tsx';
import { Needs } from './settings/Needs.tsx';
import { NotificationsPart } from './settings/NotificationsPart.tsx';
import { OrganizationPart } from './settings/OrganizationPart.tsx';
import { PricingPart } from './settings/PricingPart.tsx';
import { SourcesPart } from './settings/SourcesPart.tsx';
import { TokensPart } from './settings/TokensPart.tsx';

type Part = {
  name: string;
  title: string;
  /** Who may see it. */
  role: Role;
  scope: string;
  shown: () => ReactNode;
};

const parts: Part[] = [
  { name: 'organization', title: 'Organization', role: 'viewer', scope: 'admin', shown: OrganizationPart },
  { name: 'members', title: 'Members', role: 'viewer', scope: 'admin', shown: MembersPart },
  { name: 'tokens', title: 'Tokens', role: 'admin', scope: 'admin', shown: TokensPart },
  { name: 'sources', title: 'Sources', role: 'viewer', scope: 'admin', shown: SourcesPart },
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
        <Needs role={part.role} scope={part.scope} title={`${part.title}: not for you to see`}>
          <part.shown />
        </Needs>
      ) : (
        <Empty title="There is no such part of the settings">
          <Anchor component={Link} href="/settings/organization">
            To the organization
          </Anchor>
        </Empty>
      )}
    </>
  );
}

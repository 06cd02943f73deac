import { isDeepStrictEqual } from 'node:util';

export const scopeTypes = ['organization', 'repository', 'workflow', 'branch', 'team'] as const;
type ScopeType = (typeof scopeTypes)[number];

/** Whose costs an alert watches. It is stored with alerts and triggers, and sent in events. */
export type Scope = {
  type: ScopeType;
  /** A repository or branch, or a pattern of them with `*`; the id of a workflow; a team. The organization has none. */
  value?: string;
  /** The repository or repositories of a branch; all without it. */
  repository?: string;
  /** What people call a workflow, as of the time when the scope was set. */
  name?: string;
};

export const organizationScope: Scope = { type: 'organization' };

/** A workflow that got another name is the same one. */
export function isSameScope({ name: _, ...scope }: Scope, { name: __, ...other }: Scope): boolean {
  return isDeepStrictEqual(scope, other);
}

/** Alerts of an organization that have a scope are due together, because they share a measurement. */
export function spreadBy({ orgId, id, scope }: { orgId: string; id: string; scope: Scope }): string {
  return scope.type === 'organization' ? id : orgId;
}

/** Within a sentence; null for the organization. */
export function scopeName({ type, value = '', repository, name }: Scope): string | null {
  switch (type) {
    case 'organization':
      return null;
    case 'repository':
      return value;
    case 'workflow':
      return name ?? value;
    case 'branch':
      return repository === undefined ? `branch ${value}` : `branch ${value} of ${repository}`;
    case 'team':
      return `team ${value}`;
  }
}

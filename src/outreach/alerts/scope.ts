import { isDeepStrictEqual } from 'node:util';

export const scopeTypes = [
  'organization',
  'repository',
  'workflow',
  'branch',
  'team',
  'cost_center',
  'actor_kind',
] as const;
export type ScopeType = (typeof scopeTypes)[number];

/** The part of the costs that an alert watches. It is stored with alerts and triggers, and sent in events. */
export type Scope = {
  type: ScopeType;
  /**
   * A repository or branch, or a pattern of them with `*`; the id of a workflow; a team or cost center; a kind of actors. Missing for
   * the organization.
   */
  value?: string;
  /** The repository or repositories of a branch. If it is missing, all repositories count. */
  repository?: string;
  /** The name of a workflow when the scope was set. */
  name?: string;
};

export const organizationScope: Scope = { type: 'organization' };

/** A renamed workflow is still the same one. */
export function isSameScope({ name: _, ...scope }: Scope, { name: __, ...other }: Scope): boolean {
  return isDeepStrictEqual(scope, other);
}

/** An organization's alerts with scopes are due together, because they share a measurement. */
export function spreadBy({ orgId, id, scope }: { orgId: string; id: string; scope: Scope }): string {
  return scope.type === 'organization' ? id : orgId;
}

/** The name within a sentence; null for the organization. */
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
    case 'cost_center':
      return `cost center ${value}`;
    case 'actor_kind':
      return `actor kind ${value}`;
  }
}

import { actorKinds } from '../../ledger/actors/actorPattern.ts';
import { findWorkflowNames } from '../../ledger/costs/costs.ts';
import type { OwnerKind } from '../../ledger/ownership/owners.ts';
import type { Database } from '../../platform/db/database.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { findTeams, requireTeam } from '../channels/teamNames.ts';
import { organizationScope, scopeName, type Scope, type ScopeType } from './scope.ts';

/**
 * Returns the scope that a caller gave, with the workflow's name. Throws if it names nothing that has costs.
 */
export async function readScope(
  db: Database,
  orgId: string,
  { type, value, repository }: Omit<Scope, 'name'>,
): Promise<Scope> {
  if (repository !== undefined && type !== 'branch') {
    throw invalid('scope.repository', `must be left out, because the type is ${type} and not branch`);
  }
  if (type === 'organization') {
    if (value !== undefined) throw invalid('scope.value', 'must be left out: all costs of the organization');
    return organizationScope;
  }
  if (value === undefined) throw invalid('scope.value', `is missing: which ${wordOf(type)}?`);
  for (const [part, text] of Object.entries({ value, repository })) {
    if (text !== undefined && /^[!=]/.test(text))
      throw invalid(`scope.${part}`, 'must not begin with ! or =');
  }
  if (isOwner(type)) await requireTeam(db, orgId, value, 'scope.value', type);
  if (type === 'actor_kind' && !(actorKinds as readonly string[]).includes(value))
    throw invalid('scope.value', `must be ${actorKinds.join(', ')}`);
  if (type !== 'workflow') return { type, value, ...(repository === undefined ? {} : { repository }) };
  return { type, value, name: await nameOfWorkflow(db, orgId, value) };
}

type Scoped = { orgId: string; scope: Scope };

function isOwner(type: ScopeType): type is OwnerKind {
  return type === 'team' || type === 'cost_center';
}

function wordOf(type: ScopeType): string {
  return type.replace('_', ' ');
}

/** Whether no ownership rule names the scope's team any more. Then its costs are 0. */
export async function isTeamRemoved(db: Database, scoped: Scoped): Promise<boolean> {
  return scoped.scope.type === 'team' && isOwnerRemoved(db, scoped);
}

async function isOwnerRemoved(db: Database, { orgId, scope: { type, value } }: Scoped): Promise<boolean> {
  return isOwner(type) && !(await findTeams(db, orgId, type)).has(value!);
}

/** If rules change after an alert was created, it could silently watch nothing. */
export async function scopeWarnings(db: Database, { orgId, scope }: Scoped): Promise<string[]> {
  if (!(await isOwnerRemoved(db, { orgId, scope }))) return [];
  return [
    `This alert watches nothing: no ownership rule names the ${scopeName(scope)} any more. Change its scope.`,
  ];
}

async function nameOfWorkflow(db: Database, orgId: string, id: string): Promise<string> {
  const workflows = await findWorkflowNames(db, orgId);
  const workflow = workflows.get(id);
  if (workflow) return `${workflow.name} (${workflow.repository})`;
  const named = [...workflows].filter(([, { name }]) => name.toLowerCase() === id.toLowerCase());
  const ids = named.slice(0, 3).map(([known, { repository }]) => `${known} of ${repository}`);
  const fix =
    ids.length > 0 ? `; "${id}" is ${ids.join(', ')}` : '; GET /api/v1/costs?group_by=workflow lists them';
  throw invalid('scope.value', `must be the id of a workflow${fix}`);
}

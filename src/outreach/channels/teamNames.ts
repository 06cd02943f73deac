import type { OwnerKind } from '../../ledger/ownership/owners.ts';
import { listMappings } from '../../ledger/ownership/rules.ts';
import type { Database } from '../../platform/db/database.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { nearestOf } from '../../platform/lib/text.ts';

/** Only ownership rules give a team or cost center costs. */
export async function requireTeam(
  db: Database,
  orgId: string,
  value: string,
  field: string,
  kind: OwnerKind = 'team',
): Promise<void> {
  requireTeamOf(await findTeams(db, orgId, kind), value, field, kind);
}

export function requireTeamOf(
  teams: ReadonlySet<string>,
  value: string,
  field: string,
  kind: OwnerKind = 'team',
): void {
  if (teams.has(value)) return;
  const nearest = nearestOf(value, [...teams]);
  const fix = nearest ? `; did you mean ${nearest}?` : '; GET /api/v1/ownership/rules lists them';
  throw invalid(field, `must be a ${kind.replace('_', ' ')} of the ownership rules${fix}`);
}

export async function findTeams(
  db: Database,
  orgId: string,
  kind: OwnerKind = 'team',
): Promise<ReadonlySet<string>> {
  const mappings = await listMappings(db, orgId);
  return new Set(mappings.flatMap((mapping) => (mapping.kind === kind ? [mapping.owner] : [])));
}

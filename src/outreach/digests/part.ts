import type { ActorKind } from '../../ledger/actors/actorPattern.ts';
import type { Database } from '../../platform/db/database.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { organizationScope, type Scope } from '../alerts/scope.ts';
import { requireTeam } from '../channels/teamNames.ts';

/** Whose costs a digest covers. At most one of them; neither: all costs of the organization. */
export type Part = { team: string | null; actorKind: ActorKind | null };

export async function requirePart(db: Database, orgId: string, { team, actorKind }: Part): Promise<void> {
  if (team === null) return;
  if (actorKind !== null) throw invalid('actor_kind', 'must be left out or null for the digest of a team');
  await requireTeam(db, orgId, team, 'team');
}

export function scopeOf({ team, actorKind }: Part): Scope {
  if (team !== null) return { type: 'team', value: team };
  return actorKind === null ? organizationScope : { type: 'actor_kind', value: actorKind };
}

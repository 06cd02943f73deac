import { hasRole, type Actor, type Role } from '../lib/actor.ts';
import { PublicError } from '../lib/errors.ts';

/** Nobody gives, changes or takes away what has a higher role than their own. */
export function refuseHigherRole(actor: Actor, role: Role): void {
  if (hasRole(actor.role, role)) return;
  const message = `Your role ${actor.role} cannot give, change or take away the role ${role}.`;
  throw new PublicError('forbidden', 'role_too_low', message);
}

import type { Program } from '../../../context.ts';
import { cliActor } from '../../../platform/lib/actor.ts';
import { PublicError } from '../../../platform/lib/errors.ts';
import { findUnsubscribing, secretForUnsubscribing, updateMember } from '../../../tenancy/members/members.ts';
import { getOrganization } from '../../../tenancy/organizations/organizations.ts';
import {
  hashSecret,
  newSecret,
  readSecret,
  secretMatches,
  writeSecret,
} from '../../../tenancy/tokens/secretText.ts';
import type { NotificationProgram } from '../context.ts';

/** Whose alert emails an unsubscribe link stops. */
export type Subscriber = { orgId: string; organization: string; memberId: string; email: string };

/** Where a member with this address stops the alert emails of the organization, without signing in. */
export async function unsubscribeLink(
  { db, publicUrl }: Pick<NotificationProgram, 'db' | 'publicUrl'>,
  orgId: string,
  email: string,
): Promise<string> {
  const parts = await secretForUnsubscribing(db, { orgId, email, secret: newSecret() });
  return `${publicUrl()}/unsubscribe/${writeSecret('unsubscribe', { orgId, ...parts })}`;
}

/** Whose link it is. Throws where it is nobody's, or no longer. */
export async function findSubscriber({ db }: Pick<Program, 'db'>, text: string): Promise<Subscriber> {
  const parts = readSecret('unsubscribe', text);
  if (!parts) throw linkNotFound();
  const { orgId, id } = parts;
  const member = await findUnsubscribing(db, orgId, id);
  if (!member || !secretMatches(parts.secret, hashSecret(member.secret))) throw linkNotFound();
  const { login, name } = await getOrganization({ db, actor: { orgId } });
  return { orgId, organization: login ?? name, memberId: id, email: member.email };
}

/** Turns the member's alert emails off. They can be turned on again in the settings of members. */
export async function unsubscribe(program: Program, text: string): Promise<Subscriber> {
  const subscriber = await findSubscriber(program, text);
  const { orgId, memberId } = subscriber;
  const actor = { ...cliActor(orgId), scopes: [], name: 'unsubscribe link' };
  await updateMember({ ...program, actor }, memberId, { alert_emails: false });
  return subscriber;
}

function linkNotFound(): PublicError {
  return new PublicError('not_found', 'link_not_found', 'This unsubscribe link is not valid.');
}

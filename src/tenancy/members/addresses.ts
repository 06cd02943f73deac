import type { Program } from '../../context.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { cliActor } from '../../platform/lib/actor.ts';
import { newSecret, randomId } from '../../platform/lib/ids.ts';
import { recordAudit } from '../audit/audit.ts';
import { type AddressRow, addressRows, findAddressRow, insertAddress } from './queries.ts';

// Whether people who are no members take emails. Joining and leaving members bring and keep that.

/** In lower case. */
export { findUnsubscribed as listUnsubscribed } from './queries.ts';

type Address = { id: string; email: string; secret: string };

/** Stores it at the first email to it, because its link must work for as long as the email is kept. */
export async function keepAddress(db: Database, orgId: string, email: string): Promise<Address> {
  const address = email.toLowerCase();
  const id = randomId('adr');
  const row = { orgId, id, address, unsubscribeSecret: newSecret(), unsubscribedAt: null };
  const found = (await findAddressRow(db, orgId, address)) ?? (await insertAddress(db, row));
  return addressOf(found ?? (await findAddressRow(db, orgId, address))!);
}

export async function findAddress(db: Database, orgId: string, id: string): Promise<Address | undefined> {
  const row = await addressRows.find(db, { orgId, id });
  return row && addressOf(row);
}

function addressOf({ id, address: email, unsubscribeSecret: secret }: AddressRow): Address {
  return { id, email, secret };
}

/** By the owner of the address, with a link in an email. */
export async function changeAddress(
  program: Program,
  { orgId, id, email }: { orgId: string; id: string; email: string },
  takesEmails: boolean,
): Promise<void> {
  const actor = { ...cliActor(orgId), scopes: [], name: 'unsubscribe link' };
  const action = takesEmails ? 'mail_address.subscribe' : 'mail_address.unsubscribe';
  await program.db.transaction().execute(async (tx) => {
    const row = await addressRows.lock(tx, { orgId, id });
    if (!row || (row.unsubscribedAt === null) === takesEmails) return;
    await addressRows.change(tx, row, { unsubscribedAt: takesEmails ? null : program.clock.now() });
    await recordAudit(tx, { ...program, actor }, action, id, { email });
  });
}

export async function isUnsubscribed(tx: Transaction, orgId: string, email: string): Promise<boolean> {
  const row = await findAddressRow(tx, orgId, email.toLowerCase());
  return row !== undefined && row.unsubscribedAt !== null;
}

/** The address of a member who leaves without emails takes none. Only its owner lets them through again. */
export async function keepSetting(
  tx: Transaction,
  { orgId, email, alertEmails }: { orgId: string; email: string; alertEmails: boolean },
  now: Date,
): Promise<void> {
  if (alertEmails || (await isUnsubscribed(tx, orgId, email))) return;
  const { id } = await keepAddress(tx, orgId, email);
  await addressRows.change(tx, { orgId, id }, { unsubscribedAt: now });
}

import { sql, type Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { rowsIn } from '../../platform/db/rowsIn.ts';
import type { Tables } from '../../tables.ts';

export const channelRows = rowsIn('channels');

export type ChannelRow = Selectable<Tables['channels']>;

export function findChannels(db: Database, orgId: string): Promise<ChannelRow[]> {
  return db
    .selectFrom('channels')
    .selectAll()
    .where('orgId', '=', orgId)
    .orderBy(sql`lower(name)`)
    .execute();
}

/** Compares as the index of names does. */
export function findChannelNamed(
  tx: Transaction,
  orgId: string,
  name: string,
): Promise<ChannelRow | undefined> {
  return tx
    .selectFrom('channels')
    .selectAll()
    .where('orgId', '=', orgId)
    .where(sql`lower(name)`, '=', sql`lower(${name})`)
    .executeTakeFirst();
}

/** For a deleted organization: the secrets go at once. */
export async function removeChannelsOf(tx: Transaction, orgId: string): Promise<void> {
  await channelRows.removeAll(tx, { orgId });
}

export async function resealChannels(tx: Transaction, reseal: (sealed: Buffer) => Buffer): Promise<void> {
  for await (const { secrets, ...channel } of channelRows.lockEach(tx)) {
    const resealed = Object.entries(secrets).map(([name, sealed]) => [
      name,
      reseal(Buffer.from(sealed, 'hex')).toString('hex'),
    ]);
    await channelRows.change(tx, channel, { secrets: JSON.stringify(Object.fromEntries(resealed)) });
  }
}

import { sql, type Insertable, type Selectable, type Updateable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Tables } from '../../tables.ts';

export type ChannelRow = Selectable<Tables['channels']>;

export function findChannels(db: Database, orgId: string): Promise<ChannelRow[]> {
  return db
    .selectFrom('channels')
    .selectAll()
    .where('orgId', '=', orgId)
    .orderBy(sql`lower(name)`)
    .execute();
}

export function findChannel(db: Database, orgId: string, id: string): Promise<ChannelRow | undefined> {
  return db
    .selectFrom('channels')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .executeTakeFirst();
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

export function insertChannel(tx: Transaction, row: Insertable<Tables['channels']>): Promise<ChannelRow> {
  return tx.insertInto('channels').values(row).returningAll().executeTakeFirstOrThrow();
}

export function changeChannel(
  tx: Transaction,
  { orgId, id }: Pick<ChannelRow, 'orgId' | 'id'>,
  changes: Updateable<Tables['channels']>,
): Promise<ChannelRow> {
  return tx
    .updateTable('channels')
    .set(changes)
    .where('orgId', '=', orgId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function removeChannel(tx: Transaction, orgId: string, id: string): Promise<void> {
  await tx.deleteFrom('channels').where('orgId', '=', orgId).where('id', '=', id).execute();
}

/** For a deleted organization: the secrets go at once. */
export async function removeChannelsOf(tx: Transaction, orgId: string): Promise<void> {
  await tx.deleteFrom('channels').where('orgId', '=', orgId).execute();
}

export async function resealChannels(tx: Transaction, reseal: (sealed: Buffer) => Buffer): Promise<void> {
  const rows = await tx.selectFrom('channels').select(['orgId', 'id', 'secrets']).forUpdate().execute();
  for (const { secrets, ...channel } of rows) {
    const resealed = Object.entries(secrets).map(([name, sealed]) => [
      name,
      reseal(Buffer.from(sealed, 'hex')).toString('hex'),
    ]);
    await changeChannel(tx, channel, { secrets: JSON.stringify(Object.fromEntries(resealed)) });
  }
}

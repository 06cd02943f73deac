import { type Selectable, sql } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { rowsIn } from '../../platform/db/rowsIn.ts';
import type { Day } from '../../platform/lib/days.ts';
import { findInAll } from '../../platform/work/claims.ts';
import type { Tables } from '../../tables.ts';
import type { BillFetch } from './fetch.ts';
import type { Month, StoredMonths } from './months.ts';

export const accountRows = rowsIn('billAccounts');

export type AccountRow = Selectable<Tables['billAccounts']>;
export type DayRow = Selectable<Tables['billAccountDays']>;
type AccountKey = Pick<AccountRow, 'orgId' | 'id'>;

export function storedMonths({ months }: Pick<AccountRow, 'months'>): StoredMonths {
  return months as StoredMonths;
}

/** Null if the organization has the account already. */
export async function insertAccount(
  tx: Transaction,
  row: Omit<AccountRow, 'months'>,
): Promise<AccountRow | null> {
  const inserted = await tx
    .insertInto('billAccounts')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  return inserted ?? null;
}

/** The latest fetch of each account. */
export async function findLatestFetches(
  db: Database | Transaction,
  orgId: string,
  kind: string,
): Promise<Map<string, BillFetch>> {
  const rows = await db
    .selectFrom('tasks')
    .selectAll()
    .distinctOn(sql`input ->> 'accountId'`)
    .where((all) => all.and({ orgId, kind }))
    .orderBy(sql`input ->> 'accountId'`)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .execute();
  const fetches = rows as unknown as BillFetch[];
  return new Map(fetches.map((fetch) => [fetch.input.accountId, fetch]));
}

type FetchedAccount = AccountKey & { fetchedAt: Date | null };

/** Accounts of all organizations, and when their latest fetch began. */
export function findNightlyAccounts(db: Database, kind: string): Promise<FetchedAccount[]> {
  return findInAll(
    db,
    sql<FetchedAccount>`
      select a.org_id, a.id, (
        select max(t.created_at) from tasks t
        where t.org_id = a.org_id and t.kind = ${kind} and t.input ->> 'accountId' = a.id
      ) as fetched_at
      from bill_accounts a
      join organizations o on o.org_id = a.org_id and o.deleted_at is null
    `,
  );
}

export function findDays(
  db: Database,
  { orgId, id }: AccountKey,
  { start, end }: { start: Day; end: Day },
): Promise<DayRow[]> {
  return db
    .selectFrom('billAccountDays')
    .selectAll()
    .where((all) => all.and({ orgId, accountId: id }))
    .where('day', '>=', start)
    .where('day', '<=', end)
    .orderBy('day')
    .execute();
}

export async function saveDay(db: Database, row: DayRow): Promise<void> {
  const { etag, lines, fetchedAt } = row;
  await db
    .insertInto('billAccountDays')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['orgId', 'accountId', 'day']).doUpdateSet({ etag, lines, fetchedAt }),
    )
    .execute();
}

export async function noteMonth(
  tx: Transaction,
  { orgId, id }: AccountKey,
  month: Month,
  stored: StoredMonths[Month],
): Promise<void> {
  const added = JSON.stringify({ [month]: stored });
  await tx
    .updateTable('billAccounts')
    .set({ months: sql`months || ${added}::jsonb` })
    .where((all) => all.and({ orgId, id }))
    .execute();
}

export async function removeDays(
  tx: Transaction,
  { orgId, id }: AccountKey,
  { start, end }: { start: Day; end: Day },
): Promise<void> {
  await tx
    .deleteFrom('billAccountDays')
    .where((all) => all.and({ orgId, accountId: id }))
    .where('day', '>=', start)
    .where('day', '<=', end)
    .execute();
}

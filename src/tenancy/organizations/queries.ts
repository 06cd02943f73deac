import { sql, type Insertable, type Selectable, type Updateable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { findInAll, organizationsOf } from '../../platform/work/claims.ts';
import type { Tables } from '../../tables.ts';

export type OrganizationRow = Selectable<Tables['organizations']>;

export async function insertOrganization(
  tx: Transaction,
  row: Insertable<Tables['organizations']>,
): Promise<void> {
  await tx.insertInto('organizations').values(row).execute();
}

/** Until the transaction ends, nobody else can add an organization. */
export async function lockOrganizations(tx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('organizations', 0))`.execute(tx);
}

export function findOrganization(db: Database, orgId: string): Promise<OrganizationRow | undefined> {
  return db
    .selectFrom('organizations')
    .selectAll()
    .where('orgId', '=', orgId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
}

export function findOrganizations(db: Database): Promise<OrganizationRow[]> {
  return findInAll(
    db,
    sql<OrganizationRow>`select * from organizations where deleted_at is null order by created_at, org_id`,
  );
}

/** A login names the oldest organization that has it. The others are named by their id. */
export async function findNamesInAddresses(
  db: Database,
  orgIds: readonly string[],
): Promise<{ id: string; name: string; login: string | null; addressName: string }[]> {
  const named = await findInAll(
    db,
    sql<Pick<OrganizationRow, 'orgId' | 'name' | 'login'>>`
      select org_id, name, login from organizations where org_id = any(${orgIds}::uuid[]) and deleted_at is null
    `,
  );
  const logins = named.map(({ login }) => login).filter((login) => login && !/^[0-9a-f-]{36}$/i.test(login));
  const oldest = sql`
    select distinct on (lower(login)) org_id from organizations
    where lower(login) in (select lower(each) from unnest(${logins}::text[]) each) and deleted_at is null
    order by lower(login), created_at, org_id
  `;
  const byLogin = new Set(logins.length > 0 ? await organizationsOf(db, oldest) : []);
  return named.map(({ orgId: id, name, login }) => ({
    id,
    name,
    login,
    addressName: byLogin.has(id) ? login! : id,
  }));
}

export async function changeOrganization(
  tx: Transaction,
  orgId: string,
  changes: Updateable<Tables['organizations']>,
): Promise<void> {
  await tx.updateTable('organizations').set(changes).where('orgId', '=', orgId).execute();
}

export type LockedCosts = Pick<OrganizationRow, 'detailsFrom' | 'storesJobFacts'>;

export async function raiseCostsVersion(tx: Transaction, orgId: string): Promise<LockedCosts | undefined> {
  const { rows } = await tx.executeQuery(raiseVersion(orgId));
  return rows[0];
}

/** Undefined if another transaction has locked the row. */
export async function raiseFreeCostsVersion(
  tx: Transaction,
  orgId: string,
): Promise<LockedCosts | undefined> {
  const { rows } = await tx.executeQuery(raiseFreeVersion(orgId));
  return rows[0];
}

/** Follows the clock, because a failover can lose versions, and no version may come back for other costs. */
const raised = sql`
  costs_version = greatest(costs_version + 1, (extract(epoch from statement_timestamp()) * 1000000)::bigint)
`;

const raiseVersion = prepared(
  (orgId: string) => sql<LockedCosts>`
    update organizations set ${raised} where org_id = ${orgId} and deleted_at is null
    returning details_from, stores_job_facts
  `,
);

const raiseFreeVersion = prepared(
  (orgId: string) => sql<LockedCosts>`
    update organizations set ${raised}
    where org_id = ${orgId} and org_id = (
      select org_id from organizations where org_id = ${orgId} and deleted_at is null
      for no key update skip locked
    )
    returning details_from, stores_job_facts
  `,
);

const withoutFacts = sql`select org_id from organizations where not stores_job_facts`;

/** Whether every organization's jobs refer to their facts, as in any new database. */
export async function doAllStoreJobFacts(db: Database): Promise<boolean> {
  return (await organizationsOf(db, sql`${withoutFacts} limit 1`)).length === 0;
}

/** From now on, jobs refer to their facts. Skips organizations that another transaction has locked. */
export async function storeJobFacts(db: Database): Promise<void> {
  for (const orgId of await organizationsOf(db, withoutFacts)) {
    await sql`
      update organizations set stores_job_facts = true
      where org_id = ${orgId} and org_id = (
        select org_id from organizations where org_id = ${orgId} for no key update skip locked
      )
    `.execute(db);
  }
}

export type ChangedCosts = Pick<OrganizationRow, 'orgId' | 'name' | 'login' | 'costsVersion'>;

export function lockChangedRow(tx: Transaction, orgId: string): Promise<ChangedCosts | undefined> {
  return tx
    .selectFrom('organizations')
    .select(['orgId', 'name', 'login', 'costsVersion'])
    .where('orgId', '=', orgId)
    .whereRef('costsVersion', '>', 'costsCheckedVersion')
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** False if it is deleted. `for update` could deadlock with inserts of rows that refer to it. */
export async function lockRow(tx: Transaction, orgId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from organizations where org_id = ${orgId} and deleted_at is null for no key update
  `.execute(tx);
  return rows.length > 0;
}

export async function markDeleted(tx: Transaction, orgId: string, now: Date): Promise<void> {
  await changeOrganization(tx, orgId, { deletedAt: now });
  await clearFormerChat(tx, orgId);
}

/** Only programs from before channels read the chat webhook here. Its secret must not outlive the channel's. */
export async function clearFormerChat(tx: Transaction, orgId: string): Promise<void> {
  await sql`
    update organizations set chat_webhook_url = null, chat_webhook_host = null, chat_webhook_format = null
    where org_id = ${orgId} and chat_webhook_url is not null
  `.execute(tx);
}

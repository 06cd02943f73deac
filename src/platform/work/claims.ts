import { type RawBuilder, sql } from 'kysely';
import type { Tables } from '../../tables.ts';
import type { Database } from '../db/database.ts';
import { oneByOne } from './worker.ts';

/** Enough that a claim finds work although others have just taken what is due first. */
const looksAt = 16;

/**
 * Tries one organization after the other, because a distributed database locks rows of one only. `due` selects the `org_id`
 * of due rows. A claim locks in a CTE: a joined subquery can run again, and lock another row each time. A claim that fails
 * is thrown once the other organizations have nothing to claim.
 */
export async function claimInOrder<Claimed>(
  db: Database,
  due: RawBuilder<unknown>,
  claim: (orgId: string) => Promise<Claimed | undefined>,
): Promise<Claimed | undefined> {
  const failures: unknown[] = [];
  for (const orgId of await organizationsOf(db, sql`${due} limit ${looksAt}`)) {
    try {
      const claimed = await claim(orgId);
      if (claimed !== undefined) return claimed;
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return undefined;
}

const changedAtOnce = 500;
const ofOrganization = {
  nameOf: (orgId: string): [string, string] => ['rows', orgId],
  message: 'could not change rows',
};

/** Changes rows in each organization with due rows, some at a time, also if one fails. Returns how many rows. */
export async function changeInEach(
  db: Database,
  due: RawBuilder<unknown>,
  ...changes: ((orgId: string) => RawBuilder<unknown>)[]
): Promise<number> {
  let changed = 0n;
  const changeOne = async (orgId: string) => {
    for (const change of changes) changed += (await change(orgId).execute(db)).numAffectedRows ?? 0n;
  };
  await oneByOne(await organizationsOf(db, sql`${due} limit ${changedAtOnce}`), changeOne, ofOrganization);
  return Number(changed);
}

/** Works at once on the items of each organization, which come in the order of their first items. */
export function inEachOrganization<Item extends { orgId: string }, Result>(
  items: readonly Item[],
  work: (orgId: string, own: Item[]) => Promise<Result>,
): Promise<Result[]> {
  const ofEach = Map.groupBy(items, ({ orgId }) => orgId);
  return Promise.all([...ofEach].map(([orgId, own]) => work(orgId, own)));
}

/** The organizations of these rows, each once, in their order. */
export async function organizationsOf(db: Database, rows: RawBuilder<unknown>): Promise<string[]> {
  const found = await findInAll(db, rows as RawBuilder<{ orgId: string }>);
  return [...new Set(found.map(({ orgId }) => orgId))];
}

/**
 * Rows of all organizations, which a distributed database asks all of its servers for: what is due or old, or belongs to one
 * person. It only reads; changes follow in one organization after the other.
 */
export async function findInAll<Row extends { orgId: string }>(
  db: Database,
  rows: RawBuilder<Row>,
): Promise<Row[]> {
  return (await rows.execute(db)).rows;
}

/** Rows whose time in the column `age` is before `before`. The `key` names a row in its organization. */
type Old = { key: string; age: string; before: Date; where?: RawBuilder<unknown>; limit?: number };

/** Removes the oldest of these rows, of any organizations, and returns their number. */
export async function removeOld(
  db: Database,
  table: keyof Tables,
  { key, age, before, where = sql`true`, limit = 1_000 }: Old,
): Promise<number> {
  const [name, id, at] = [sql.table(table), sql.ref(key), sql.ref(age)];
  const isOld = sql`${at} < ${before} and ${where}`;
  const old = await findInAll(
    db,
    sql<{ orgId: string; id: string }>`
      select org_id, ${id} as id from ${name} where ${isOld} order by ${at} limit ${limit}
    `,
  );
  const ofEach = Map.groupBy(old, (row) => row.orgId);
  const removeOfOne = async (orgId: string) => {
    const ids = ofEach.get(orgId)!.map((row) => row.id);
    await sql`delete from ${name} where org_id = ${orgId} and ${id} = any(${ids}::text[]) and ${isOld}`.execute(
      db,
    );
  };
  await oneByOne([...ofEach.keys()], removeOfOne, ofOrganization);
  return old.length;
}

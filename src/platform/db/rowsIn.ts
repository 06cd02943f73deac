import { type Insertable, type Kysely, type Selectable, sql, type Updateable } from 'kysely';
import type { Tables } from '../../tables.ts';
import type { Database, Transaction } from './database.ts';

type OfOrganizations = {
  [Name in keyof Tables]: Tables[Name] extends { orgId: unknown } ? Name : never;
}[keyof Tables];

/** Kysely cannot follow the columns of a table that is a parameter. */
type AnyTables = Record<string, Record<string, unknown>>;

type Slice = { limit: number; offset: number };

/**
 * Statements about rows of one table. Its key is `orgId` and `id`, or another column in its place. What takes a key also
 * takes a whole row, and `where` compares each given field, also with null.
 */
export function rowsIn<
  Name extends OfOrganizations,
  Id extends keyof Selectable<Tables[Name]> & string = 'id' & keyof Selectable<Tables[Name]>,
>(name: Name, id: Id = 'id' as Id) {
  const table: string = name;
  type Row = Selectable<Tables[Name]>;
  type Key = Pick<Row, Id> & { orgId: string };
  type Where = Partial<Row> & { orgId: string };
  type Order = (keyof Row & string) | `${keyof Row & string} desc`;
  const untyped = (db: Database) => db as unknown as Kysely<AnyTables>;
  const is = (where: object) =>
    sql<boolean>`${sql.join(
      Object.entries(where).map(([column, value]) =>
        value === null ? sql`${sql.ref(column)} is null` : sql`${sql.ref(column)} = ${value}`,
      ),
      sql` and `,
    )}`;
  const one = (key: Key, where: Partial<Row> = {}) => is({ orgId: key.orgId, [id]: key[id], ...where });
  const sorted = (db: Database, where: Where, order: readonly Order[]) =>
    order.reduce(
      (query, each) => {
        const [column, direction] = each.split(' ') as [string, 'desc'?];
        return query.orderBy(column, direction ?? 'asc');
      },
      untyped(db).selectFrom(table).selectAll().where(is(where)),
    );
  const count = async (db: Database, where: Where): Promise<number> => {
    const all = untyped(db).selectFrom(table).where(is(where));
    const { rows } = await all.select(({ fn }) => fn.countAll<bigint>().as('rows')).executeTakeFirstOrThrow();
    return Number(rows);
  };
  return {
    /** Returns the row as it is stored. */
    insert: async (db: Database, row: Insertable<Tables[Name]>): Promise<Row> => {
      const query = untyped(db)
        .insertInto(table)
        .values(row as object);
      return (await query.returningAll().executeTakeFirstOrThrow()) as Row;
    },
    find: async (db: Database, key: Key, where?: Partial<Row>): Promise<Row | undefined> => {
      const query = untyped(db).selectFrom(table).selectAll().where(one(key, where));
      return (await query.executeTakeFirst()) as Row | undefined;
    },
    lock: async (tx: Transaction, key: Key): Promise<Row | undefined> => {
      const query = untyped(tx).selectFrom(table).selectAll().where(one(key)).forUpdate();
      return (await query.executeTakeFirst()) as Row | undefined;
    },
    /** Returns the changed row; undefined if there is none as in `where`. */
    change: async (
      db: Database,
      key: Key,
      changes: Updateable<Tables[Name]>,
      where?: Partial<Row>,
    ): Promise<Row | undefined> => {
      const query = untyped(db)
        .updateTable(table)
        .set(changes as object)
        .where(one(key, where));
      return (await query.returningAll().executeTakeFirst()) as Row | undefined;
    },
    changeAll: async (db: Database, where: Where, changes: Updateable<Tables[Name]>): Promise<void> => {
      await untyped(db)
        .updateTable(table)
        .set(changes as object)
        .where(is(where))
        .execute();
    },
    /** Returns whether there was one. */
    remove: async (db: Database, key: Key): Promise<boolean> =>
      (await untyped(db).deleteFrom(table).where(one(key)).executeTakeFirst()).numDeletedRows > 0n,
    removeAll: async (db: Database, where: Where): Promise<void> => {
      await untyped(db).deleteFrom(table).where(is(where)).execute();
    },
    list: async (db: Database, where: Where, ...order: Order[]): Promise<Row[]> =>
      (await sorted(db, where, order).execute()) as Row[],
    page: async (db: Database, where: Where, { limit, offset }: Slice, ...order: Order[]) => {
      const rows = await sorted(db, where, order).limit(limit).offset(offset).execute();
      return { rows: rows as Row[], total: await count(db, where) };
    },
    count,
    /** Encrypts these columns anew, in the rows of all organizations. */
    reseal: async (tx: Transaction, reseal: (sealed: Buffer) => Buffer, ...names: (keyof Row & string)[]) => {
      const columns: string[] = names;
      const rows = await untyped(tx)
        .selectFrom(table)
        .select(['orgId', id, ...columns])
        .forUpdate()
        .execute();
      for (const row of rows) {
        const sealed = columns.map((column) => [column, row[column] && reseal(row[column] as Buffer)]);
        await untyped(tx)
          .updateTable(table)
          .set(Object.fromEntries(sealed))
          .where(one(row as Key))
          .execute();
      }
    },
  };
}

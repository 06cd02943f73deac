import { type Insertable, type Kysely, type Selectable, sql, type Updateable } from 'kysely';
import type { Tables } from '../../tables.ts';
import type { Database, Transaction } from './database.ts';

type OfOrganizations = {
  [Name in keyof Tables]: Tables[Name] extends { orgId: unknown } ? Name : never;
}[keyof Tables];

/** Kysely cannot follow the columns of a table that is a parameter. */
type AnyTables = Record<string, Record<string, unknown>>;

function untyped(db: Database): Kysely<AnyTables> {
  return db as unknown as Kysely<AnyTables>;
}

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
  const one = (key: Key, where: Partial<Row> = {}) => is({ orgId: key.orgId, [id]: key[id], ...where });
  const count = (db: Database, where: Where): Promise<number> => countRows(db, table, where);
  const lock = async (tx: Transaction, key: Key): Promise<Row | undefined> => {
    const query = untyped(tx).selectFrom(table).selectAll().where(one(key)).forUpdate();
    return (await query.executeTakeFirst()) as Row | undefined;
  };
  const lockEach = async function* (tx: Transaction): AsyncGenerator<Row> {
    for (const key of await findKeys(tx, table, id)) {
      const row = await lock(tx, key as Key);
      if (row) yield row;
    }
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
    lock,
    /** The rows of all organizations, one after the other. */
    lockEach,
    /** Returns the changed row; undefined if there is none as in `where`. */
    change: async (
      db: Database,
      key: Key,
      { orgId: _, ...changes }: Updateable<Tables[Name]> & { orgId?: unknown },
      where?: Partial<Row>,
    ): Promise<Row | undefined> => {
      const query = untyped(db)
        .updateTable(table)
        .set(changes as object);
      return (await query.where(one(key, where)).returningAll().executeTakeFirst()) as Row | undefined;
    },
    changeAll: async (db: Database, where: Where, changes: Updateable<Tables[Name]>): Promise<void> => {
      const query = untyped(db)
        .updateTable(table)
        .set(changes as object);
      await query.where(is(where)).execute();
    },
    /** Returns whether there was one. */
    remove: async (db: Database, key: Key): Promise<boolean> =>
      (await untyped(db).deleteFrom(table).where(one(key)).executeTakeFirst()).numDeletedRows > 0n,
    removeAll: async (db: Database, where: Where): Promise<void> => {
      await untyped(db).deleteFrom(table).where(is(where)).execute();
    },
    list: async (db: Database, where: Where, ...order: Order[]): Promise<Row[]> =>
      (await sortedRows(db, table, where, order).execute()) as Row[],
    page: async (db: Database, where: Where, { limit, offset }: Slice, ...order: Order[]) => {
      const rows = await sortedRows(db, table, where, order).limit(limit).offset(offset).execute();
      return { rows: rows as Row[], total: await count(db, where) };
    },
    count,
    /** Encrypts these columns again, in the rows of all organizations. */
    reseal: async (tx: Transaction, reseal: Resealing, ...columns: (keyof Row & string)[]): Promise<void> => {
      for await (const row of lockEach(tx)) {
        const sealed = columns.map((column) => [
          column,
          row[column] && reseal(row[column] as unknown as Buffer),
        ]);
        const query = untyped(tx).updateTable(table).set(Object.fromEntries(sealed));
        await query.where(one(row as unknown as Key)).execute();
      }
    },
  };
}

function is(where: object) {
  const conditions = Object.entries(where).map(([column, value]) =>
    value === null ? sql`${sql.ref(column)} is null` : sql`${sql.ref(column)} = ${value}`,
  );
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

function sortedRows(db: Database, table: string, where: object, order: readonly string[]) {
  const rows = untyped(db).selectFrom(table).selectAll().where(is(where));
  return order.reduce((query, each) => {
    const [column, direction] = each.split(' ') as [string, 'desc'?];
    return query.orderBy(column, direction ?? 'asc');
  }, rows);
}

async function countRows(db: Database, table: string, where: object): Promise<number> {
  const all = untyped(db).selectFrom(table).where(is(where));
  const { rows } = await all.select(({ fn }) => fn.countAll<bigint>().as('rows')).executeTakeFirstOrThrow();
  return Number(rows);
}

type Resealing = (sealed: Buffer) => Buffer;

function findKeys(db: Database, table: string, id: string): Promise<Record<string, unknown>[]> {
  return untyped(db).selectFrom(table).select(['orgId', id]).execute();
}

import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import pg from 'pg';
import { ownApplication } from '../../src/platform/db/database.ts';

/**
 * What happens at a statement. `lost-before` and `lost-after`: the connection breaks before the server gets it, or after
 * it was done. `dead-before` and `dead-after`: so do all connections, and none opens until `revive`.
 */
export const modes = ['lost-before', 'lost-after', 'dead-before', 'dead-after'] as const;
type Mode = (typeof modes)[number];
export type Fault = { at: string; mode: Mode };

/** In an order that is the same each time. */
export const faultsAt = (statements: ReadonlyMap<string, string>): Fault[] =>
  [...statements.keys()].toSorted().flatMap((at) => modes.map((mode) => ({ at, mode })));

export type FaultyPostgres = {
  /** The texts of all statements so far by their names, which are the same in each trial. */
  statements: Map<string, string>;
  /** Statements count from here on. */
  begin: () => void;
  /** They no longer do, and no fault happens. */
  end: () => void;
  isDead: () => boolean;
  /** A new program may connect. */
  revive: () => void;
  remove: () => void;
};

/** The driver's own fields, for which it has no types. */
type Client = pg.Client & {
  connection: { stream: Socket };
  connectionParameters: { application_name?: string; database: string };
};
type Query = (this: Client, ...statement: unknown[]) => unknown;
type Connect = (this: Client, ...done: unknown[]) => unknown;

/** Names the statements of programs on this database, and lets the fault happen at one of them. */
export function breakPostgres(database: string, fault: Fault | null): FaultyPostgres {
  const { query, connect } = pg.Client.prototype as unknown as { query: Query; connect: Connect };
  const clients = new Set<Client>();
  const statements = new Map<string, string>();
  const last = new WeakMap<Client, string>();
  const sent = new Map<string, number>();
  let [hasBegun, isDead] = [false, false];
  const isOurs = ({ connectionParameters: { application_name: application, database: name } }: Client) =>
    application === ownApplication && name === database;

  /** The hash of its text and how often that was sent, because work at the same time has no fixed order. */
  function nameOf(client: Client, statement: unknown): string {
    const own = textOf(statement);
    const text = own === 'commit' ? `commit after ${last.get(client)}` : own;
    last.set(client, text);
    const times = (sent.get(text) ?? 0) + 1;
    sent.set(text, times);
    const name = `${createHash('sha256').update(text).digest('hex').slice(0, 8)}.${times}`;
    statements.set(name, text);
    return name;
  }

  function happen(client: Client, mode: Mode): Error {
    isDead = mode.startsWith('dead');
    for (const each of isDead ? clients : [client]) each.connection.stream.destroy(broken());
    return broken();
  }

  function connectOrFail(this: Client, ...done: unknown[]): unknown {
    if (!isOurs(this)) return connect.apply(this, done);
    const [callback] = done as [((error: Error) => void) | undefined];
    if (isDead) return callback ? process.nextTick(callback, broken()) : Promise.reject(broken());
    clients.add(this);
    return connect.apply(this, done);
  }

  function queryOrFail(this: Client, ...statement: unknown[]): unknown {
    if (!isOurs(this) || !hasBegun || isDead) return query.apply(this, statement);
    const isFaulty = nameOf(this, statement[0]) === fault?.at;
    if (!isFaulty) return query.apply(this, statement);
    if (fault!.mode.endsWith('before')) happen(this, fault!.mode);
    const answer = query.apply(this, statement);
    if (fault!.mode.endsWith('before')) return answer;
    // A cursor has no promise: its connection breaks while it is read.
    if (!(answer instanceof Promise)) return (happen(this, fault!.mode), answer);
    const lose = () => {
      throw happen(this, fault!.mode);
    };
    return answer.then(lose, lose);
  }

  Object.assign(pg.Client.prototype, { query: queryOrFail, connect: connectOrFail });
  return {
    statements,
    begin: () => void (hasBegun = true),
    end: () => void (hasBegun = false),
    isDead: () => isDead,
    revive: () => void (isDead = false),
    remove: () => void Object.assign(pg.Client.prototype, { query, connect }),
  };
}

const broken = () => new Error('Connection terminated unexpectedly');

/** Statements have no values in their text. */
function textOf(statement: unknown): string {
  if (typeof statement === 'string') return statement;
  const { text } = statement as { text?: string };
  return text ?? 'a cursor';
}

import type pg from 'pg';
import { realSetTimeout } from './seams.ts';

/** A statement that waits for a lock, also after its connection broke. Its server process is stopped meanwhile. */
export type Waiting = {
  name: string;
  pid: number;
  isOver: () => boolean | Promise<boolean>;
  answer: () => void;
};

const blockedAfterMilliseconds = 4;

export const after = (milliseconds: number) =>
  new Promise((resolve) => realSetTimeout(resolve, milliseconds));

/** Who waits for whom in the database. */
export class Locks {
  readonly #watcher: pg.Client;
  readonly #waiting = new Map<object, Waiting>();

  constructor(watcher: pg.Client) {
    this.#watcher = watcher;
  }

  isWaiting(client: object): boolean {
    return this.#waiting.has(client);
  }

  /** False if it waits for a lock that another one holds. Of several that wait for one, the fastest would get it. */
  async ends(client: object, statement: Waiting): Promise<boolean> {
    const { pid, isOver } = statement;
    for (;;) {
      for (let tries = 0; tries < blockedAfterMilliseconds; tries++) {
        if (await isOver()) return true;
        await after(1);
      }
      if (!(await this.#isBlocked(pid)) || (await isOver())) continue;
      process.kill(pid, 'SIGSTOP');
      this.#waiting.set(client, statement);
      return false;
    }
  }

  /** Those that got their lock meanwhile go on, one after the other. */
  async goOn(note: (line: string) => void): Promise<void> {
    for (const [client, statement] of this.#waiting) {
      if (await this.#isBlocked(statement.pid)) continue;
      process.kill(statement.pid, 'SIGCONT');
      if (!(await this.ends(client, statement))) continue;
      this.#waiting.delete(client);
      note(`  ${statement.name} goes on`);
      statement.answer();
      // If its connection was lost, it has just left its locks to those before it.
      return this.goOn(note);
    }
  }

  /** Returns once the server knows that a connection is lost. One that waits knows it only after it got its lock. */
  async noteLost(client: object, pid: number): Promise<void> {
    const isOver = async () => !(await this.#isConnected(pid));
    const ghost: Waiting = { name: 'what nobody hears of', pid, isOver, answer: () => {} };
    if (this.#waiting.delete(client)) this.#waiting.set(ghost, ghost);
    else await this.ends(ghost, ghost);
  }

  close(): void {
    for (const { pid } of this.#waiting.values()) process.kill(pid, 'SIGCONT');
  }

  async #isBlocked(pid: number): Promise<boolean> {
    const statement = 'select cardinality(pg_blocking_pids($1)) > 0 as blocked';
    const { rows } = await this.#watcher.query<{ blocked: boolean }>(statement, [pid]);
    return rows[0]!.blocked;
  }

  async #isConnected(pid: number): Promise<boolean> {
    const { rows } = await this.#watcher.query('select from pg_stat_activity where pid = $1', [pid]);
    return rows.length > 0;
  }
}

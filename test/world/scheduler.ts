import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import pg from 'pg';
import { ownApplication } from '../../src/platform/db/database.ts';
import { after, Locks, type Waiting } from './locks.ts';
import { elapsed, fire, here, nextTimer, nextTurn, type Place } from './seams.ts';
import type { Sometimes } from './sometimes.ts';

/** What happens at a statement, as in `test/crashPoints`. */
export const faults = ['lost-before', 'lost-after', 'dead-before', 'dead-after'] as const;
type Fault = (typeof faults)[number];

/** The driver's own fields, for which it has no types. */
type Client = pg.Client & {
  processID: number;
  connection: { stream: Socket };
  connectionParameters: { application_name?: string; database: string };
};
type Query = (this: Client, ...statement: unknown[]) => unknown;
type Connect = (this: Client, ...done: unknown[]) => unknown;

/** Something that waits for its turn: a statement, a connection, an answer from outside. */
type Turn = {
  name: string;
  place: Place;
  client: Client | null;
  /** Resolves when it has ended, however, with what answers the program. */
  run: () => Promise<() => void>;
  /** Its process died before its turn. */
  drop: () => void;
  /** Before anybody else goes on. */
  onWait?: () => Promise<void>;
};

export type Chance = {
  /** One of so many. */
  pick: (count: number) => number;
  faultAt: (text: string) => Fault | null;
};

/** A timer this short may fire at any time: what it races with takes about as long. */
const shortMilliseconds = 100;
/** Turns of the event loop without news after which everybody waits. */
const quietTurns = 4;
const maybeBlockedMilliseconds = 4;
/** What stays open while nobody computes. All else, such as reading a file, ends without a turn. */
const idle = /^(TCPSocketWrap|PipeWrap|TTYWrap|Timeout|MessagePort|ProcessWrap|SignalWrap|TCPServerWrap)$/;

const { query, connect } = pg.Client.prototype as unknown as { query: Query; connect: Connect };

/** Gives one statement after the other its turn, among all processes of a database. */
export class Scheduler {
  readonly problems: string[] = [];
  /** What went on, in its order. */
  readonly lines: string[] = [];
  /** Whose connections the server's processes serve. */
  readonly names = new Map<number, string>();
  readonly counts = new Map<Sometimes, number>();
  statements = 0;
  readonly #chance: Chance;
  readonly #locks: Locks;
  readonly #turns: Turn[] = [];
  readonly #arrived: Turn[] = [];
  readonly #clients = new Map<Client, Place>();
  readonly #activities = new Map<object, Place>();
  #news = 0;

  constructor(database: string, watcher: pg.Client, chance: Chance) {
    this.#chance = chance;
    this.#locks = new Locks(watcher);
    const askInTurn = (client: Client, statement: unknown[]) => this.#queryInTurn(client, statement);
    const openInTurn = (client: Client, place: Place, given: unknown[]) =>
      this.#connectInTurn(client, place, given);
    Object.assign(pg.Client.prototype, {
      query(this: Client, ...statement: unknown[]) {
        return askInTurn(this, statement);
      },
      connect(this: Client, ...given: unknown[]) {
        const place = here.getStore()?.place;
        const { application_name: application, database: name } = this.connectionParameters;
        const isOurs = application === ownApplication && name === database;
        return isOurs && place ? openInTurn(this, place, given) : connect.apply(this, given);
      },
    });
  }

  close(): void {
    this.#locks.close();
    Object.assign(pg.Client.prototype, { query, connect });
  }

  digest(): string {
    return createHash('sha256').update(this.lines.join('\n')).digest('hex').slice(0, 16);
  }

  note(line: string): void {
    this.lines.push(line.replaceAll(/\s+/g, ' ').slice(0, 160));
  }

  underWay(): number {
    return this.#activities.size;
  }

  add(turn: Turn): void {
    this.#news++;
    this.#turns.push(turn);
    if (turn.onWait) this.#arrived.push(turn);
  }

  /** Runs work in a process, until it ends or the process dies. */
  begin(place: Place, work: () => Promise<void>, at?: Date): void {
    const activity = {};
    this.#activities.set(activity, place);
    this.#news++;
    void here
      .run(at ? { place, at } : { place }, work)
      .catch((error: Error) => place.isDead || this.problems.push(error.stack ?? String(error)))
      .finally(() => {
        this.#activities.delete(activity);
        this.#news++;
      });
  }

  /** All connections of a process end, and none of its work goes on. */
  async kill(place: Place): Promise<void> {
    place.isDead = true;
    place.death.resolve(null);
    this.#news++;
    for (const [activity, of] of this.#activities) if (of === place) this.#activities.delete(activity);
    for (const turn of this.#turns.filter((each) => each.place === place)) {
      this.#turns.splice(this.#turns.indexOf(turn), 1);
      turn.drop();
    }
    await this.#lose([...this.#clients].filter(([, of]) => of === place).map(([client]) => client));
  }

  /** Lets one of those that wait go on. False if nobody does. */
  async turn(): Promise<boolean> {
    await this.quiet();
    for (const each of this.#arrived.splice(0)) await each.onWait?.();
    const choices = this.#choices();
    if (choices.length === 0) return this.#passTime();
    const chosen = choices[this.#chance.pick(choices.length)]!;
    if (chosen === 'timer') {
      this.note('a timer');
      fire(nextTimer(shortMilliseconds)!);
      return true;
    }
    this.#turns.splice(this.#turns.indexOf(chosen), 1);
    this.note(`${chosen.place.name} ${chosen.name.trim()}`);
    if (chosen.client) await this.#runStatement(chosen, chosen.client);
    else (await chosen.run())();
    await this.#locks.goOn((line) => this.note(line));
    return true;
  }

  #count(what: Sometimes): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  /** Until nobody computes: all wait for a turn, or for a timer. */
  async quiet(): Promise<void> {
    for (let still = 0, seen = this.#news; still < quietTurns; still++) {
      await nextTurn();
      const isBusy = process.getActiveResourcesInfo().some((each) => !idle.test(each));
      if (seen !== this.#news || isBusy) still = -1;
      seen = this.#news;
    }
  }

  /**
   * Of a connection, statements run in their order, and none while one of them waits for a lock. They are sorted, because
   * those that came between two turns have no order.
   */
  #choices(): (Turn | 'timer')[] {
    const taken = new Set<Client>();
    const free = this.#turns.filter(
      ({ client }) => !client || (!this.#locks.isWaiting(client) && !taken.has(client) && taken.add(client)),
    );
    const keyOf = ({ place, name }: Turn) => `${place.name} ${name}`;
    const sorted = free.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : Number(keyOf(a) > keyOf(b))));
    return nextTimer(shortMilliseconds) ? [...sorted, 'timer'] : sorted;
  }

  /** Where somebody still works but nobody can go on, a longer timer decides. */
  #passTime(): boolean {
    if (this.#activities.size === 0) return false;
    const timer = nextTimer(Infinity);
    if (!timer) throw new Error(`nobody can go on after: ${this.lines.slice(-5).join('; ')}`);
    this.note(`time passes from ${elapsed()}`);
    fire(timer);
    return true;
  }

  #queryInTurn(client: Client, statement: unknown[]): unknown {
    const place = this.#clients.get(client);
    if (!place) return query.apply(client, statement);
    if (place.isDead) return Promise.reject(broken());
    const name = textOf(statement[0]);
    return new Promise((resolve, reject) => {
      const run = () =>
        (query.apply(client, statement) as Promise<unknown>).then(
          (value) => () => resolve(value),
          (error: Error & { code?: string }) => {
            // The server chooses whom it refuses by real time.
            if (error.code === '40P01') this.problems.push(`deadlock at ${name}`);
            return () => reject(error);
          },
        );
      this.add({ name, place, client, run, drop: () => reject(broken()) });
    });
  }

  #connectInTurn(client: Client, place: Place, given: unknown[]): void {
    const [done] = given as [(error?: Error) => void];
    const drop = () => process.nextTick(done, broken());
    if (place.isDead) return drop();
    const run = async () => {
      const error = await new Promise<Error | undefined>((resolve) => connect.call(client, resolve));
      // `order by random()` is the same each time, and no statement gives up while it is stopped.
      const session = 'select setseed(0.5); set lock_timeout = 0; set statement_timeout = 0';
      if (!error) await (query.call(client, session) as Promise<unknown>);
      this.#clients.set(client, place);
      this.names.set(client.processID, place.name);
      return () => done(error);
    };
    this.add({ name: 'connect', place, client: null, run, drop });
  }

  async #lose(lost: readonly Client[]): Promise<void> {
    for (const client of lost) {
      this.#clients.delete(client);
      client.connection.stream.destroy(broken());
    }
    for (const client of lost) await this.#locks.noteLost(client, client.processID);
    await this.#locks.goOn((line) => this.note(line));
  }

  async #happen(fault: Fault, { name, place, client }: Turn): Promise<void> {
    this.note(`  ${fault}`);
    if (fault.endsWith('after') && name === 'commit') this.#count('nobody knew whether a commit was done');
    const isDeath = fault.startsWith('dead');
    this.#count(isDeath ? 'a fault ended a process' : 'a connection broke');
    await (isDeath ? this.kill(place) : this.#lose([client!]));
  }

  async #runStatement(turn: Turn, client: Client): Promise<void> {
    const fault = this.#chance.faultAt(turn.name);
    this.statements++;
    if (fault?.endsWith('before')) {
      await this.#happen(fault, turn);
      return turn.drop();
    }
    let isOver = false;
    const statement: Waiting = {
      name: turn.name,
      pid: client.processID,
      isOver: () => isOver,
      answer: turn.drop,
    };
    const ended = (async () => {
      statement.answer = await turn.run();
      isOver = true;
      this.#news++;
    })();
    await Promise.race([ended, after(maybeBlockedMilliseconds)]);
    if (!isOver && !(await this.#locks.ends(client, statement))) {
      this.#count('a statement waited for a lock');
      this.note('  waits for a lock');
      return;
    }
    if (fault) {
      await this.#happen(fault, turn);
      turn.drop();
    } else statement.answer();
  }
}

const broken = () => new Error('Connection terminated unexpectedly');

/** Statements have no values in their text. */
function textOf(statement: unknown): string {
  return typeof statement === 'string' ? statement : (statement as { text: string }).text;
}

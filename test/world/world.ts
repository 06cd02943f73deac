import pg from 'pg';
import type { App } from '../../src/app.ts';
import { forgetColumns } from '../../src/ledger/costs/columns/readDays.ts';
import { dayOf } from '../../src/platform/lib/days.ts';
import { randomOf, type Random } from '../../src/platform/lib/random.ts';
import type { Step } from '../auditor/history.ts';
import type { Answer } from '../harness/app.ts';
import { createStorage, type Settings } from '../harness/storage.ts';
import { digestOf } from './digest.ts';
import { createOutside } from './outside.ts';
import { openApp, send, serve, type Process, type Sent } from './processes.ts';
import type { WebhookState } from './receiver.ts';
import type { Report, Run } from './reports.ts';
import { faults, Scheduler } from './scheduler.ts';
import { here, makeTimeReal, makeTimeVirtual, passTime, seedIds, type Place } from './seams.ts';
import type { Sometimes } from './sometimes.ts';
import type { Template } from './template.ts';

const start = new Date('2026-03-18T12:00:00Z');
/** How often a statement fails. Of a commit, nobody knows then whether it was done. */
const shareOfFaults = { commits: 0.03, others: 0.008 };

/** Everything that steps know and change. */
export class World {
  readonly template: Template;
  readonly watcher: pg.Client;
  readonly scheduler: Scheduler;
  readonly processes: Process[] = [];
  readonly runs: Run[] = [];
  /** Those that nobody has acknowledged yet: their senders send them again. */
  readonly unacknowledged: Report[] = [];
  /** The jobs of each run that were acknowledged. */
  readonly acknowledged = new Map<Run, Set<string>>();
  /** Once or more. Others may have reported them since. */
  readonly deleted = new Set<Run>();
  isOtherDeleted = false;
  /** What was acknowledged, for the auditor. */
  readonly history: (Step & { run?: Run })[];
  /** Whether something happened of which no answer says whether it came before or after something else. */
  isAmbiguous = false;
  /** Whether nobody knows what a budget's period cost while the worker may have looked. */
  areBudgetsAmbiguous = false;
  readonly happened = new Map<Sometimes, number>();
  readonly received: unknown[];
  /** One after the other, as they were asked for. */
  readonly webhook: WebhookState[];
  reportsUnderWay = 0;
  /** Since somebody asked for it, until all work was done. */
  isRepricing = false;
  /** How long runs were kept, at the least. */
  keptDays: number | null = null;
  /** Nothing fails. */
  isCalm = true;
  /** Decides whatever happens until the next step. */
  random: Random = randomOf(0);
  readonly #settings: Record<string, string>;
  readonly #outside: ReturnType<typeof createOutside>;
  #now = start;
  #opened = 0;

  constructor(template: Template, settings: Record<string, string>, watcher: pg.Client) {
    this.template = template;
    this.history = [...template.history];
    this.watcher = watcher;
    this.#settings = settings;
    this.scheduler = new Scheduler(new URL(settings['DATABASE_URL']!).pathname.slice(1), watcher, {
      pick: (count) => Math.floor(this.random() * count),
      faultAt: (text) => {
        const share = text === 'commit' ? shareOfFaults.commits : shareOfFaults.others;
        return this.isCalm || this.random() >= share
          ? null
          : faults[Math.floor(this.random() * faults.length)]!;
      },
    });
    this.#outside = createOutside(this);
    this.received = this.#outside.received;
    this.webhook = [{ ...template.webhook, isPaused: false, since: new Date(0) }];
  }

  get problems(): string[] {
    return this.scheduler.problems;
  }

  now(): Date {
    return this.#now;
  }

  /** The wall clock goes on, timers do not: the machine slept. */
  forward(seconds: number): void {
    const before = this.#now;
    this.#now = new Date(before.getTime() + seconds * 1_000);
    if (dayOf(before) === dayOf(this.#now)) return;
    this.areBudgetsAmbiguous ||= this.unacknowledged.length > 0;
    this.history.push({ at: this.#now, path: 'midnight' });
  }

  /** All clocks go on. */
  pass(seconds: number): void {
    this.forward(seconds);
    passTime(seconds * 1_000);
  }

  sometimes(what: Sometimes, times = 1): void {
    this.happened.set(what, (this.happened.get(what) ?? 0) + times);
  }

  begin({ place }: Process, work: () => Promise<void>): void {
    this.scheduler.begin(place, work);
  }

  /** Its clock stands still, so that the auditor knows when the request came: each at another time. */
  beginReport({ place }: Process, work: () => Promise<void>): void {
    this.forward(0.001);
    this.scheduler.begin(place, work, this.#now);
  }

  /** Sends as the owner. Null if the process dies meanwhile. */
  ask(process: Process, sent: Sent): Promise<Answer | null> {
    return send(process, this.template.token, sent);
  }

  /** Until all that was begun has ended. */
  async drain(): Promise<void> {
    while (await this.scheduler.turn());
  }

  async open(): Promise<Process> {
    const place: Place = { name: `p${++this.#opened}`, isDead: false, death: Promise.withResolvers() };
    const clock = { now: () => here.getStore()?.at ?? this.#now };
    const opened: App[] = [];
    const wasCalm = this.isCalm;
    this.isCalm = true;
    this.scheduler.begin(place, async () => {
      opened.push(await openApp(place, this.#settings, { clock, outside: this.#outside.outside }));
    });
    while (opened.length === 0 && (await this.scheduler.turn()));
    this.isCalm = wasCalm;
    // Nobody else goes on meanwhile: how long this takes depends on the machine.
    return here.run({ place }, () => serve(place, opened[0]!));
  }

  /** Kills a process and opens another one in its place. */
  async restart(process: Process): Promise<void> {
    if (!process.place.isDead) await this.scheduler.kill(process.place);
    process.close().catch(() => {});
    this.processes[this.processes.indexOf(process)] = await this.open();
  }

  /** Opens others for those that a fault has killed. */
  async revive(): Promise<void> {
    for (const each of this.processes.filter(({ place }) => place.isDead)) await this.restart(each);
  }

  async isRemoved({ id }: Run): Promise<boolean> {
    const { rows } = await this.watcher.query('select from removed_runs where id = $1', [id]);
    return rows.length > 0;
  }

  /** Whether the run may have been removed by now. */
  mayBeRemoved({ createdAt }: Run): boolean {
    const kept = this.keptDays;
    return kept !== null && createdAt.getTime() < this.#now.getTime() - (kept - 1) * 86_400_000;
  }
}

export type Outcome = {
  problems: readonly string[];
  trace: string;
  /** A hash of each table. */
  tables: string[];
  lines: readonly string[];
  happened: ReadonlyMap<Sometimes, number>;
  statements: number;
};

/** Opens two processes on a copy of the template, lets `live` do its steps, and closes everything. */
export async function inWorld(
  template: Template,
  seed: number,
  live: (world: World) => Promise<void>,
): Promise<Outcome> {
  const { settings: copied, remove } = await createStorage(template.settings as Settings);
  const settings = { ...template.settings, DATABASE_URL: copied['DATABASE_URL']!, DATA_DIR: copied.DATA_DIR };
  const watcher = new pg.Client({ connectionString: settings['DATABASE_URL'] });
  await watcher.connect();
  seedIds(seed);
  makeTimeVirtual();
  forgetColumns();
  const world = new World(template, settings, watcher);
  const { scheduler, problems, processes, happened } = world;
  try {
    processes.push(await world.open(), await world.open());
    try {
      await live(world);
    } catch (error) {
      problems.push((error as Error).stack ?? String(error));
    }
    await countStored(world);
    const tables = await digestOf(watcher);
    for (const each of processes) await scheduler.kill(each.place);
    for (const each of processes) each.close().catch(() => {});
    const { lines, statements } = scheduler;
    return { problems, trace: scheduler.digest(), tables, lines, happened, statements };
  } finally {
    scheduler.close();
    makeTimeReal();
    await watcher.end();
    await remove();
  }
}

/** What only the tables know. */
async function countStored(world: World): Promise<void> {
  const counted: [Sometimes, string][] = [
    ['a lease was taken over', `select from delivery_attempts where message like 'its sender ended%'`],
    [
      'a reprice changed prices',
      `select from tasks where kind = 'reprice' and (state ->> 'changedJobs')::int > 0`,
    ],
    ['a digest was sent', `select from notifications where status = 'sent' and notice ? 'digest'`],
    ['a run was removed', 'select from removed_runs'],
    ['an alert was triggered', 'select from alert_triggers'],
    ['the cost fell below a budget', `select from alert_triggers where resolution = 'condition_cleared'`],
    ['a job was carried over', 'select from jobs where is_carried_over'],
  ];
  for (const [what, statement] of counted) {
    const { rowCount } = await world.watcher.query(statement);
    if (rowCount) world.sometimes(what, rowCount);
  }
  for (const [what, count] of world.scheduler.counts) world.sometimes(what, count);
}

import type { Providers } from '../../ledger/pricing/provider.ts';
import { compare, getOrCreate, smaller, sumOf } from '../../platform/lib/lists.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { inTurns } from '../../platform/lib/turns.ts';
import { monthlyCost, monthlyMinutes, payable, type TimedJob, type Use } from './jobs.ts';
import type { Price, PriceBasis, Runner } from './runners.ts';
import { speedOf, type Speed } from './speed.ts';
import { isTried, trialsOf, type Obstacle } from './trials.ts';

/**
 * `move` saves, even if the job takes as long as the range says at most. `uncertain` may save, `stay` does not.
 * `covered` would save list cost, but included minutes pay it. `trial` is not measured.
 */
export const states = ['move', 'uncertain', 'trial', 'covered', 'stay'] as const;
type State = (typeof states)[number];

/** Per month of 30 days. */
export type JobMove = {
  job: TimedJob;
  minutes: number;
  nowNanos: Nanos;
  /** Null for a trial. */
  after: { nanos: Nanos; lowNanos: Nanos; highNanos: Nanos; speed: Speed } | null;
  use: Use;
};

export type Move = {
  state: State;
  from: Runner;
  to: Runner;
  jobs: JobMove[];
  nowNanos: Nanos;
  /** 0 unless the move is advised. Never more than what is paid. */
  savingNanos: Nanos;
};

/** Jobs that no cheaper runner can take, and why. */
export type Staying = { from: Runner; to: Runner | null; reason: Obstacle; jobs: JobMove[]; nowNanos: Nanos };

/** A move that saves less is not worth the work, and might save nothing. */
const minSaving = { part: 1n, of: 10n };
/** Of a trial, and of jobs that stay. */
const minNanos: Nanos = 1_000_000_000n;

function isWorthwhile(saved: Nanos, now: Nanos): boolean {
  return saved > 0n && saved * minSaving.of >= now * minSaving.part;
}

type Placed = { state: 'move' | 'uncertain' | 'trial' | 'stay'; to: Runner; move: JobMove };

/** The best for each job where it runs now, by what is measured, or what to try. */
export async function decide(
  jobs: readonly TimedJob[],
  basis: PriceBasis,
): Promise<{ moves: Move[]; staying: Staying[] }> {
  const moves = new Map<string, Move>();
  const staying = new Map<string, Staying>();
  for await (const job of inTurns(jobs)) {
    const costs = job.uses.flatMap((use) => costing(job, use, basis) ?? []);
    const main = costs.toSorted((a, b) => b.minutes - a.minutes)[0]?.use;
    for (const now of costs) {
      const from = now.use.runner;
      const measured = bestOf(now, from, basis.list.providers);
      // Elsewhere it runs for a trial, which is no reason for another.
      const isMain = now.use === main;
      const placed: Placed[] = measured && (isMain || measured.state !== 'stay') ? [measured] : [];
      const trials = isMain && measured?.state !== 'move' ? trialsOf(job, now.use, basis) : [];
      for (const trial of trials) {
        if ('to' in trial && !isTried(job, trial.to))
          placed.push({ state: 'trial', to: trial.to, move: now });
        if (!('stays' in trial)) continue;
        const group = getOrCreate(staying, [from.key, trial.cheaper?.key, trial.stays].join('\n'), () => {
          return { from, to: trial.cheaper, reason: trial.stays, jobs: [], nowNanos: 0n };
        });
        add(group, now);
      }
      for (const { state, to, move } of placed) {
        const group = getOrCreate(moves, [state, from.key, to.key].join('\n'), () => {
          return { state, from, to, jobs: [], nowNanos: 0n, savingNanos: 0n };
        });
        add(group, move);
      }
    }
  }
  return {
    moves: [...moves.values()]
      .filter(({ state, nowNanos }) => state !== 'trial' || nowNanos >= minNanos)
      .map(inOrder),
    staying: [...staying.values()]
      .filter(({ nowNanos }) => nowNanos >= minNanos)
      .map(inOrder)
      .toSorted((a, b) => compare(b.nowNanos, a.nowNanos) || compare(a.from.key, b.from.key)),
  };
}

function add(group: { jobs: JobMove[]; nowNanos: Nanos }, move: JobMove): void {
  group.jobs.push(move);
  group.nowNanos += move.nowNanos;
}

function inOrder<Group extends { jobs: JobMove[] }>(group: Group): Group {
  const jobs = group.jobs.toSorted(
    (a, b) =>
      compare(b.nowNanos, a.nowNanos) ||
      compare(a.job.workflowId, b.job.workflowId) ||
      compare(a.job.name, b.job.name),
  );
  return { ...group, jobs };
}

function costing(job: TimedJob, use: Use, { list: { providers } }: PriceBasis): JobMove | null {
  const price = payable(use.runner, job, providers);
  if (!price || !use.isCurrent || use.billed.length === 0) return null;
  const measured = { billed: use.billed, days: job.days };
  const nowNanos = monthlyCost(price, measured);
  return nowNanos === 0n ? null : { job, use, minutes: monthlyMinutes(measured), nowNanos, after: null };
}

/** The measured runner that saves most, or costs least more. */
function bestOf(now: JobMove, from: Runner, providers: Providers): Placed | null {
  const { job, use } = now;
  const measured = job.uses.flatMap(({ runner: to, passed }): Placed[] => {
    const speed = to.key === from.key ? null : speedOf(use.passed, passed);
    const price = payable(to, job, providers);
    if (!speed || !price || isTooLong(use.passed, speed.high, price)) return [];
    const at = (factor: number) => monthlyCost(price, { billed: use.billed, days: job.days }, factor);
    const after = {
      nanos: at(speed.factor),
      lowNanos: at(speed.low),
      highNanos: at(speed.high),
      speed,
    };
    const saved = now.nowNanos - after.nanos;
    const state = isWorthwhile(now.nowNanos - after.highNanos, now.nowNanos)
      ? 'move'
      : isWorthwhile(saved, now.nowNanos)
        ? 'uncertain'
        : 'stay';
    return [{ state, to, move: { ...now, after } }];
  });
  const [best] = measured.toSorted(
    (a, b) =>
      states.indexOf(a.state) - states.indexOf(b.state) ||
      compare(a.move.after!.highNanos, b.move.after!.highNanos) ||
      compare(a.to.key, b.to.key),
  );
  return best ?? null;
}

/** Whether the other runner would stop some of the jobs. */
function isTooLong(passed: readonly number[], factor: number, { timeLimitMinutes }: Price): boolean {
  return timeLimitMinutes !== null && passed.some((ms) => ms * factor > timeLimitMinutes * 60_000);
}

/** What a provider's included minutes leave to pay each month. */
type Pool = { covers: (kind: string | null) => boolean; paidNanos: Nanos };

export type Paying = {
  pools: readonly Pool[];
  /** The share of list cost that is paid there, in 10,000ths. */
  paidShare: (runner: Runner) => bigint;
};

const wholeShare = 10_000n;

/**
 * Largest savings first, as far as they are paid: what included minutes cover costs nothing now, and discounts count on both
 * sides. Trials of what costs nothing are left out.
 */
export function asPaid(moves: readonly Move[], { pools, paidShare }: Paying): Move[] {
  const left = new Map(pools.map((pool) => [pool, pool.paidNanos]));
  const poolOf = ({ kind }: Runner) => pools.find(({ covers }) => covers(kind));
  const isCovered = ({ from }: Move) => poolOf(from)?.paidNanos === 0n;
  const judged = moves
    .filter((move) => move.state !== 'trial' || !isCovered(move))
    .toSorted((a, b) => compare(listSaving(b), listSaving(a)))
    .map((move): Move => {
      if (move.state !== 'move') return move;
      const { from, to, jobs } = move;
      const share = (nanos: Nanos, runner: Runner) => (nanos * paidShare(runner)) / wholeShare;
      const now = share(move.nowNanos, from);
      const [then, high] = (['nanos', 'highNanos'] as const).map((name) =>
        share(
          jobs.reduce((sum, { after: each }) => sum + each![name], 0n),
          to,
        ),
      ) as [Nanos, Nanos];
      const pool = poolOf(from);
      const paid = pool ? left.get(pool)! : now;
      const isWithin = pool !== undefined && pool === poolOf(to);
      const paidNow = smaller(paid, now);
      const saved = (cost: Nanos) => (isWithin ? smaller(now - cost, paid) : paidNow - cost);
      if (!isWorthwhile(saved(high), move.nowNanos)) return { ...move, state: 'covered' };
      const savingNanos = saved(then);
      if (pool) left.set(pool, paid - (isWithin ? savingNanos : paidNow));
      return { ...move, savingNanos };
    });
  return judged.toSorted(
    (a, b) =>
      states.indexOf(a.state) - states.indexOf(b.state) ||
      compare(b.savingNanos, a.savingNanos) ||
      compare(b.nowNanos, a.nowNanos) ||
      compare(`${a.from.key} ${a.to.key}`, `${b.from.key} ${b.to.key}`),
  );
}

export function listSaving({ jobs, nowNanos }: Move): Nanos {
  const then = jobs.flatMap((each) => (each.after ? [each.after] : []));
  return then.length === 0 ? 0n : nowNanos - sumOf(then, 'nanos');
}

const maxFactor = 100;
const maxSample = 1_000;

/** How many times as long the jobs may take there at most to cost no more. Null if any time does. */
export function breakEven({ from, to, jobs }: Pick<Move, 'from' | 'to' | 'jobs'>, providers: Providers) {
  const all = jobs.flatMap(({ job, use }) => use.billed.map((ms) => ({ job, ms })));
  const step = Math.ceil(all.length / maxSample);
  const sample = all.filter((_, index) => index % step === 0);
  const costAt = (runner: Runner, factor: number) =>
    sample.reduce(
      (sum, { job, ms }) =>
        sum + monthlyCost(payable(runner, job, providers)!, { billed: [ms], days: 30 }, factor),
      0n,
    );
  const now = costAt(from, 1);
  let [low, high] = [0, maxFactor];
  if (costAt(to, high) <= now) return null;
  for (let halving = 0; halving < 20; halving++) {
    const middle = (low + high) / 2;
    if (costAt(to, middle) <= now) low = middle;
    else high = middle;
  }
  return Math.floor(low * 10 + 0.01) / 10;
}

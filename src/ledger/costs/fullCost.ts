import type { Transaction } from '../../platform/db/database.ts';
import { daysOf, type Day, type Window } from '../../platform/lib/days.ts';
import { compare } from '../../platform/lib/lists.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { yieldToRequests } from '../../platform/lib/turns.ts';
import type { PoolDay } from '../pools/poolCost.ts';
import { readPoolCosts } from '../pools/pools.ts';
import { matcherOf } from '../pricing/priceList.ts';
import { labelsIn, type ColumnName } from './columns/dayColumns.queries.ts';
import { columnOf } from './columns/dayColumns.ts';
import {
  amountsOf,
  codedAmounts,
  constant,
  createMemory,
  type Amounts,
  type DayRows,
} from './columns/sumRows.ts';

// As in sumRows.ts, each step is one loop over arrays of numbers.

export const fullCostColumns = [
  'costNanos',
  'durationMilliseconds',
  'label',
  'runnerGroup',
] as const satisfies ColumnName[];

type Runner = { labels: string[]; runnerGroup: string | null };

/** Whose cost a day spreads over the jobs that match. */
export type SpreadPool = PoolDay & { name: string; matches: (runner: Runner) => boolean };

type PoolsOn = (day: Day) => SpreadPool[];

/** The pools of each of these days, in the order in which jobs try them. */
export async function readPools(
  tx: Transaction,
  orgId: string,
  days: Pick<Window, 'start' | 'end'>,
): Promise<PoolsOn> {
  const pools = (await readPoolCosts(tx, orgId, days)).map((pool) => ({ ...pool, matches: matcherOf(pool) }));
  return (day) => pools.map(({ name, matches, costOn }) => ({ name, matches, ...costOn(day) }));
}

export type FullDays = { amounts: ReadonlyMap<DayRows, Amounts>; idle: DayRows[] };

/** The full cost of each row, and for each day and pool a row with what it cost while idle. */
export async function fullCosts(
  days: readonly DayRows[],
  window: Window,
  poolsOn: PoolsOn,
): Promise<FullDays> {
  const rowsOf = new Map(days.filter(({ billed }) => !billed).map((day) => [day.day, day]));
  const amounts = new Map<DayRows, Amounts>();
  const idle: DayRows[] = [];
  for (const day of daysOf(window)) {
    const pools = poolsOn(day);
    const rows = rowsOf.get(day);
    const spread = rows && spreadOver(rows, pools);
    if (spread) amounts.set(rows, spread.amounts);
    for (const [place, { name, costNanos }] of pools.entries()) {
      const idleNanos = spread ? spread.idleNanos[place]! : costNanos;
      if (idleNanos > 0n) idle.push(idleDay(day, name, idleNanos));
    }
    if (rows) await yieldToRequests();
  }
  return { amounts, idle };
}

const idlePrefix = 'idle of ';

/** What groupings show in place of a repository or another value that idle machines do not have. */
export function isIdle(value: string | null): boolean {
  return value?.startsWith(idlePrefix) ?? false;
}

function idleDay(day: Day, pool: string, idleNanos: Nanos): DayRows {
  const name = constant({ rows: 1 }, `${idlePrefix}${pool}`);
  const cost = columnOf([String(idleNanos)]);
  return {
    day,
    rows: 1,
    count: null,
    isRemoved: null,
    column: (asked) => (asked === 'costNanos' ? cost : name),
  };
}

type Spread = { amounts: Amounts; idleNanos: Nanos[] };

/**
 * Each job's list cost and its part of what its pool costs on that day, in proportion to its time. What is lost by
 * rounding goes to the largest remainders, so jobs and idle time add up to the pool's cost.
 */
function spreadOver(day: DayRows, pools: readonly SpreadPool[]): Spread {
  const isFree = pools.every(({ costNanos }) => costNanos === 0n);
  if (isFree) return { amounts: amountsOf(day, 'costNanos'), idleNanos: pools.map(() => 0n) };
  const [costs, times] = [day.column('costNanos'), day.column('durationMilliseconds')];
  const milliseconds = times.values.map((text) => Math.max(0, Number(text ?? 0)));
  const poolOf = poolsOfRows(day, pools);
  const width = times.values.length;
  const jobs = pools.map(() => new Uint32Array(width));
  for (let row = 0; row < day.rows; row++) {
    if (poolOf[row]! >= 0) jobs[poolOf[row]!]![times.codes[row]!]!++;
  }
  const parts = pools.map((pool, place) => partsOf(pool, milliseconds, jobs[place]!));
  const values = costs.values.map((text) => BigInt(text!));
  const codes = new Uint32Array(day.rows);
  const known = new Map<number, number>();
  for (let row = 0; row < day.rows; row++) {
    const [place, cost, time] = [poolOf[row]!, costs.codes[row]!, times.codes[row]!];
    if (place < 0) {
      codes[row] = cost;
      continue;
    }
    const { ofTime, raised } = parts[place]!;
    const extra = raised[time]! > 0 ? 1 : 0;
    raised[time]! -= extra;
    const key = ((cost * pools.length + place) * width + time) * 2 + extra;
    let code = known.get(key);
    if (code === undefined) {
      code = values.push(values[cost]! + ofTime[time]! + BigInt(extra)) - 1;
      known.set(key, code);
    }
    codes[row] = code;
  }
  return { amounts: codedAmounts({ values, codes }), idleNanos: parts.map(({ idleNanos }) => idleNanos) };
}

/** For each row, the place of its pool; -1 if it ran on none. */
function poolsOfRows(day: DayRows, pools: readonly SpreadPool[]): Int32Array {
  const [labels, groups] = [day.column('label'), day.column('runnerGroup')];
  const width = groups.values.length;
  const find = (place: number): number => {
    const runner = {
      labels: labelsIn(labels.values[Math.floor(place / width)]),
      runnerGroup: groups.values[place % width]!,
    };
    return pools.findIndex(({ matches }) => matches(runner));
  };
  const known = createMemory(labels.values.length * width, (place) => find(place) + 1);
  const places = new Int32Array(day.rows);
  for (let row = 0; row < places.length; row++) {
    places[row] = known(labels.codes[row]! * width + groups.codes[row]!) - 1;
  }
  return places;
}

const millisecondsOfDay = 86_400_000;

type Parts = {
  idleNanos: Nanos;
  /** What a job of this time costs at least. */
  ofTime: Nanos[];
  /** How many jobs of this time cost one nano-dollar more. */
  raised: Uint32Array;
};

function partsOf(
  { costNanos, machines }: PoolDay,
  milliseconds: readonly number[],
  jobs: Uint32Array,
): Parts {
  const used = milliseconds.reduce((sum, time, place) => sum + BigInt(time) * BigInt(jobs[place]!), 0n);
  const capacity = BigInt((machines ?? 0) * millisecondsOfDay);
  const raised = new Uint32Array(milliseconds.length);
  if (used === 0n) return { idleNanos: costNanos, ofTime: milliseconds.map(() => 0n), raised };
  // Jobs can use more than a day has: each counts as a whole on the day on which it completed.
  const usedNanos = used < capacity ? (costNanos * used) / capacity : costNanos;
  const ofTime = milliseconds.map((time) => (usedNanos * BigInt(time)) / used);
  let left = ofTime.reduce((rest, part, place) => rest - part * BigInt(jobs[place]!), usedNanos);
  const remainders = milliseconds.map((time) => (usedNanos * BigInt(time)) % used);
  const byRemainder = [...milliseconds.keys()].toSorted(
    (a, b) => compare(remainders[b]!, remainders[a]!) || milliseconds[b]! - milliseconds[a]!,
  );
  for (const place of byRemainder) {
    if (left === 0n) break;
    if (remainders[place] === 0n) continue;
    const count = left < BigInt(jobs[place]!) ? Number(left) : jobs[place]!;
    raised[place] = count;
    left -= BigInt(count);
  }
  return { idleNanos: costNanos - usedNanos, ofTime, raised };
}

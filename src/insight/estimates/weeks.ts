import { addDays, startOfDay, type Day, type Window } from '../../platform/lib/days.ts';

/** The weeks of a window that end with its last day, oldest first. Days before the first whole week are left out. */
export type Weeks = {
  count: number;
  /** −1 for a day in none of them. */
  indexOf: (day: Day) => number;
  /** The first week of which all days are known, and what a shorter last one must be multiplied by. */
  knownFrom: (firstDay: Day) => { from: number; scale: number };
};

const millisecondsPerDay = 86_400_000;

export function weeksOf({ end, days }: Window): Weeks {
  const count = Math.max(1, Math.floor(days / 7));
  const daysBefore = (day: Day) =>
    (startOfDay(end).getTime() - startOfDay(day).getTime()) / millisecondsPerDay;
  const start = addDays(end, 1 - Math.min(days, count * 7));
  return {
    count,
    indexOf: (day) => (day > end || day < start ? -1 : count - 1 - Math.floor(daysBefore(day) / 7)),
    knownFrom: (firstDay) => {
      const known = 1 + daysBefore(firstDay > start ? firstDay : start);
      const from = count - Math.floor(known / 7);
      return from < count ? { from, scale: 1 } : { from: count - 1, scale: 7 / Math.max(1, known) };
    },
  };
}

/** A cost by week: nanos, or how often something costs one of `pool`. Weeks before `from` are unknown. */
export type Flow = {
  weekly: readonly number[];
  from: number;
  pool: readonly number[] | null;
  /** What may be added to the logarithm of each later week, in ascending order; empty without growth. */
  slopes: readonly number[];
};

export type Outlook = { central: number; samples: Float64Array };

const sampleCount = 500;

export type Sampler = (flows: readonly Flow[]) => Outlook;

/**
 * The mean of the known weeks with their growth, and months drawn from them twice, because the known weeks are a sample
 * themselves. All flows get the same weeks, so a difference does not vary with what two flows share.
 */
export function createSampler({ count }: Pick<Weeks, 'count'>, days: number): Sampler {
  const random = seeded(1);
  const anyOf = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)]!;
  const all = Array.from({ length: count }, (_, week) => week);
  const shares = Array.from({ length: Math.ceil(days / 7) }, (_, index) => Math.min(1, days / 7 - index));
  const drawn = Array.from({ length: sampleCount }, () => {
    const could = all.map(() => anyOf(all));
    return { weeks: shares.map(() => anyOf(could)), place: random(), rank: random() };
  });
  /** From the middle of a week to the middle of the month to come. */
  const growth = (slope: number, week: number) =>
    Math.exp(Math.max(-maxGrowth, Math.min(maxGrowth, slope * (count - week - 0.5 + days / 14))));
  return (flows) => {
    const samples = new Float64Array(sampleCount);
    let central = 0;
    for (const { weekly, from, pool, slopes } of flows) {
      const known = all.slice(from);
      const slope = slopes[slopes.length >> 1] ?? 0;
      const mean = meanOf(known.map((week) => weekly[week]! * growth(slope, week)));
      central += (mean * (pool === null ? 1 : meanOf(pool)) * days) / 7;
      for (let index = 0; index < sampleCount; index++) {
        const { weeks, place, rank } = drawn[index]!;
        const drift = slopes[Math.floor(rank * slopes.length)] ?? 0;
        let sum = 0;
        for (let part = 0; part < weeks.length; part++) {
          const picked = weeks[part]!;
          const week = picked < from ? known[picked % known.length]! : picked;
          sum += shares[part]! * weekly[week]! * growth(drift, week);
        }
        samples[index]! += sum * (pool === null ? 1 : pool[Math.floor(place * pool.length)]!);
      }
    }
    return { central, samples };
  };
}

/** A month is at most twice or half of any earlier one. */
const maxGrowth = Math.log(2);
const minPerWeek = 5;

/**
 * How much counts grow a week, as logarithms in ascending order: between all weeks that are at least half of the known
 * ones apart, so that a single unusual week decides little. None for few runs.
 */
export function slopesOf(weekly: readonly number[], from: number): number[] {
  const known = weekly.slice(from);
  if (known.length < 4 || known.some((count) => count < minPerWeek)) return [];
  const apart = Math.floor(known.length / 2);
  const slopes = known.flatMap((count, index) =>
    known.slice(index + apart).map((later, place) => Math.log(later / count) / (apart + place)),
  );
  return slopes.toSorted((a, b) => a - b);
}

/** mulberry32 by Tommy Ettinger and Bryc, public domain. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

const lowShare = 0.025;

/** The middle nineteen of twenty drawn months. */
export function rangeOf(samples: Float64Array): { low: number; high: number } {
  const sorted = samples.toSorted();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
  return { low: at(lowShare), high: at(1 - lowShare) };
}

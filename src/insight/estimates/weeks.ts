import { addDays, startOfDay, type Day, type Window } from '../../platform/lib/days.ts';
import { randomOf } from '../../platform/lib/random.ts';

/**
 * Consecutive weeks, the last of which ends with the window, oldest first. Days before the first whole week are
 * ignored.
 */
export type Weeks = {
  count: number;
  /** −1 for a day outside these weeks. */
  indexOf: (day: Day) => number;
  /** The first week with known data on all days, and the factor that extrapolates an incomplete week. */
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

/**
 * Weekly costs: in nano-dollars, or as the number of times that something costs one of `pool`. Weeks before `from` are
 * unknown.
 */
export type Flow = {
  weekly: readonly number[];
  from: number;
  pool: readonly number[] | null;
  /** Possible weekly growth rates, as logarithms in ascending order. Empty without growth. */
  slopes: readonly number[];
};

export type Outlook = { central: number; samples: Float64Array };

const sampleCount = 500;

export type Sampler = (flows: readonly Flow[]) => Outlook;

/**
 * Returns the mean of the known weeks with growth, and months from a double bootstrap, because the known weeks are a
 * sample themselves. All flows use the same weeks, so differences do not vary with what flows share.
 */
export function createSampler({ count }: Pick<Weeks, 'count'>, days: number): Sampler {
  const random = randomOf(1);
  const anyOf = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)]!;
  const all = Array.from({ length: count }, (_, week) => week);
  const shares = Array.from({ length: Math.ceil(days / 7) }, (_, index) => Math.min(1, days / 7 - index));
  const drawn = Array.from({ length: sampleCount }, () => {
    const could = all.map(() => anyOf(all));
    return { weeks: shares.map(() => anyOf(could)), place: random(), rank: random() };
  });
  /** From the middle of a week to the middle of the coming month. */
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

/** A month is at most twice and at least half of any earlier one. */
const maxGrowth = Math.log(2);
const minPerWeek = 5;

/**
 * Weekly growth rates of counts, as logarithms in ascending order. Compares weeks that are at least half of the known
 * period apart, so that one unusual week matters little. Empty if there are few runs.
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

function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

const lowShare = 0.025;

/** The middle 95% of the sampled months. */
export function rangeOf(samples: Float64Array): { low: number; high: number } {
  const sorted = samples.toSorted();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
  return { low: at(lowShare), high: at(1 - lowShare) };
}

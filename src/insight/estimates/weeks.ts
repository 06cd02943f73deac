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

/**
 * A cost by week: nanos, or how often something costs one of `pool`. Weeks before `from` are unknown. Scaled, so that
 * changed frequencies keep the weeks' pattern.
 */
export type Flow = { weekly: readonly number[]; from: number; pool: readonly number[] | null };

export type Outlook = { central: number; samples: Float64Array };

const sampleCount = 500;

export type Sampler = (flows: readonly Flow[]) => Outlook;

/**
 * What flows come to in `days` days: the mean of the known weeks, and months that are drawn from them. All flows get
 * the same weeks of a drawn month, so a change of two flows does not vary with what they share. The same history always
 * gives the same months.
 */
export function createSampler(weeks: Pick<Weeks, 'count'>, days: number): Sampler {
  const random = seeded(1);
  const drawn = Array.from({ length: sampleCount }, () => ({
    weeks: Array.from({ length: Math.ceil(days / 7) }, () => Math.floor(random() * weeks.count)),
    place: random(),
  }));
  const shares = Array.from({ length: Math.ceil(days / 7) }, (_, index) => Math.min(1, days / 7 - index));
  return (flows) => {
    const samples = new Float64Array(sampleCount);
    let central = 0;
    for (const { weekly, from, pool } of flows) {
      const known = weeks.count - from;
      const unit = pool === null ? 1 : meanOf(pool);
      central += (meanOf(weekly.slice(from)) * unit * days) / 7;
      for (let index = 0; index < sampleCount; index++) {
        const { weeks: picked, place } = drawn[index]!;
        const each = pool === null ? 1 : pool[Math.floor(place * pool.length)]!;
        let sum = 0;
        for (let part = 0; part < picked.length; part++) {
          const week = picked[part]!;
          sum += shares[part]! * weekly[week < from ? from + (week % known) : week]!;
        }
        samples[index]! += sum * each;
      }
    }
    return { central, samples };
  };
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

const lowShare = 0.05;

/** The middle nine of ten drawn months. */
export function rangeOf(samples: Float64Array): { low: number; high: number } {
  const sorted = samples.toSorted();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
  return { low: at(lowShare), high: at(1 - lowShare) };
}

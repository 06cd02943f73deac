import { addDays, startOfDay, type Day, type Window } from '../../platform/lib/days.ts';
import { randomOf, type Random } from '../../platform/lib/random.ts';

/** Oldest first; the last ends with the window. Days before the first whole week are ignored. */
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

/** In nano-dollars, or as the number of times that something costs one of `pool`; unknown before `from`. */
export type Flow = {
  weekly: readonly number[];
  from: number;
  pool: readonly number[] | null;
  growth: Growth;
};

/** A weekly growth rate, as a logarithm, and its standard error. `sure` is what the noise of the weeks does not explain. */
export type Growth = { rate: number; error: number; sure: number };

export const noGrowth: Growth = { rate: 0, error: 0, sure: 0 };

export type Outlook = { central: number; samples: Float64Array };

const sampleCount = 500;

export type Sampler = (flows: readonly Flow[]) => Outlook;

/** A double bootstrap, because the known weeks are a sample. All flows use the same weeks. */
export function createSampler({ count }: Pick<Weeks, 'count'>, days: number): Sampler {
  const random = randomOf(1);
  const anyOf = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)]!;
  const all = Array.from({ length: count }, (_, week) => week);
  const fractions = Array.from({ length: Math.ceil(days / 7) }, (_, index) => Math.min(1, days / 7 - index));
  const drawn = Array.from({ length: sampleCount }, () => {
    const could = all.map(() => anyOf(all));
    return { weeks: fractions.map(() => anyOf(could)), place: random(), deviation: normalFrom(random) };
  });
  /** From the middle of a week to the middle of the coming month. */
  const factorOf = (slope: number, week: number) =>
    Math.exp(Math.max(-maxGrowth, Math.min(maxGrowth, slope * (count - week - 0.5 + days / 14))));
  return (flows) => {
    const samples = new Float64Array(sampleCount);
    let central = 0;
    for (const { weekly, from, pool, growth } of flows) {
      const known = all.slice(from);
      const { rate, error, sure } = growth;
      const mean = meanOf(known.map((week) => weekly[week]! * factorOf(sure, week)));
      central += (mean * (pool === null ? 1 : meanOf(pool)) * days) / 7;
      for (let index = 0; index < sampleCount; index++) {
        const { weeks, place, deviation } = drawn[index]!;
        const drift = rate + error * deviation;
        let sum = 0;
        for (let part = 0; part < weeks.length; part++) {
          const picked = weeks[part]!;
          const week = picked < from ? known[picked % known.length]! : picked;
          sum += fractions[part]! * weekly[week]! * factorOf(drift, week);
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

/** Chance alone exceeds so many standard errors in 1 of 100 histories of 4 to 12 weeks: Student's t. */
const minErrors = [9.92, 5.84, 4.6, 4.03, 3.71, 3.5, 3.36, 3.25, 3.17];

/** The slope of a line through the logarithms of counts by week. Few runs show none. */
export function growthOf(weekly: readonly number[], from: number): Growth {
  const counts = weekly.slice(from);
  if (counts.length < 4 || counts.some((count) => count < minPerWeek)) return noGrowth;
  const logs = counts.map(Math.log);
  const [level, middle] = [meanOf(logs), (counts.length - 1) / 2];
  const sumOf = (of: (log: number, place: number) => number) =>
    logs.reduce((sum, log, week) => sum + of(log - level, week - middle), 0);
  const spread = sumOf((_, place) => place ** 2);
  const rate = sumOf((log, place) => log * place) / spread;
  const residual = sumOf((log, place) => (log - rate * place) ** 2) / (counts.length - 2);
  const chance = meanOf(counts.map((count) => 1 / count));
  // Runs that come at random differ so much, even if these weeks happen to fit the line.
  const error = Math.sqrt(Math.max(residual, chance) / spread);
  const isSure = Math.abs(rate) > (minErrors[counts.length - 4] ?? minErrors.at(-1)!) * error;
  return {
    rate,
    // Schedules hardly differ.
    error: residual < chance / 50 ? Math.sqrt(residual / spread) : error,
    // Rates that chance exaggerates are the first to look sure.
    sure: isSure ? rate - Math.sign(rate) * error : 0,
  };
}

/** A number of the standard normal distribution, by Box and Muller. */
function normalFrom(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

const lowQuantile = 0.025;

/** The middle 95% of the sampled months. */
export function rangeOf(samples: Float64Array): { low: number; high: number } {
  const sorted = samples.toSorted();
  const at = (quantile: number) => sorted[Math.min(sorted.length - 1, Math.floor(quantile * sorted.length))]!;
  return { low: at(lowQuantile), high: at(1 - lowQuantile) };
}

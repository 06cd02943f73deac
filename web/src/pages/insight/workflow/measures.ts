import type { Costs } from '../../../analysis/queries.ts';
import { count, duration, share } from '../../../ui/figures.ts';
import type { Durations } from './queries.ts';

/** Seconds; null if nothing has ended. */
type Times = { p50: number | null; p95: number | null };

/** Runs created on the day, or jobs completed on it. */
export type Day = {
  date: string;
  count: number;
  /** Among runs that ended and were not skipped; null if there are none. */
  successRate: number | null;
  duration: Times;
  queue: Times;
};

type Line = { title: string; of: (day: Day) => number | null };

export type Measure = {
  title: string;
  lines: Line[];
  inWords: (value: number) => string;
  onAxis: (value: number) => string;
  type: 'bar' | 'line';
  isWhole?: boolean;
  max?: number;
};

const wholeShare = (fraction: number): string => `${Math.round(100 * fraction)}%`;

/** In seconds or minutes, depending on the longest time. */
function timesOf(title: string, days: readonly Day[], of: (day: Day) => Times): Measure {
  const longest = Math.max(0, ...days.flatMap((day) => Object.values(of(day)).map((value) => value ?? 0)));
  const [unit, name] = longest > 120 ? [60, 'min'] : [1, 's'];
  const line = (key: keyof Times): Line => ({
    title: key,
    of: (day) => {
      const seconds = of(day)[key];
      return seconds === null ? null : seconds / unit;
    },
  });
  return {
    title,
    lines: [line('p50'), line('p95')],
    inWords: (value) => duration(Math.round(value * unit)),
    onAxis: (value) => `${count(value)} ${name}`,
    type: 'line',
  };
}

export function measuresOf(days: readonly Day[], things: 'Runs' | 'Jobs'): Measure[] {
  return [
    timesOf('Duration', days, (day) => day.duration),
    timesOf('Queue time', days, (day) => day.queue),
    {
      title: 'Success rate',
      lines: [{ title: 'Success rate', of: ({ successRate: rate }) => rate }],
      inWords: share,
      onAxis: wholeShare,
      type: 'line',
      max: 1,
    },
    {
      title: `Daily ${things.toLowerCase()}`,
      lines: [{ title: things, of: (day) => day.count }],
      inWords: count,
      onAxis: count,
      type: 'bar',
      isWhole: true,
    },
  ];
}

const nothing: Times = { p50: null, p95: null };

/** Combines both answers by day. `counts` is grouped by conclusion. */
export function daysOf(counts: Costs, times: Durations): Day[] {
  const timesOn = new Map(times.groups.map((group) => [group.by[0]!.value, group]));
  const seriesOf = new Map(counts.groups.map(({ by: [conclusion], series }) => [conclusion!.value, series]));
  return counts.total.series.map(({ start, value }, index): Day => {
    const of = (conclusion: string) => seriesOf.get(conclusion)?.[index]?.value ?? 0;
    const time = timesOn.get(start);
    return {
      date: start,
      count: value,
      successRate: rateOf(of),
      duration: time ? { p50: time.duration_p50_seconds, p95: time.duration_p95_seconds } : nothing,
      queue: time ? { p50: time.queue_p50_seconds, p95: time.queue_p95_seconds } : nothing,
    };
  });
}

/** Success rate among runs that ended and were not skipped. */
export function rateOf(of: (conclusion: string) => number): number | null {
  const ended = of('success') + of('failure') + of('cancelled');
  return ended === 0 ? null : of('success') / ended;
}

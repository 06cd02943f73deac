import { axisDollars } from '../../../charts/ticks.ts';
import { count, dollars, duration, exactDollars, share } from '../../../ui/figures.ts';
import type { WorkflowDay } from './queries.ts';
import type { DayKind } from './runFilter.ts';

export type Measure = {
  title: string;
  /** Null on days without completed runs. */
  of: (day: WorkflowDay) => number | null;
  inWords: (value: number) => string;
  onAxis: (value: number) => string;
  exactly?: (value: number) => string;
  type: 'bar' | 'line';
  dayKind: DayKind;
  isWhole?: boolean;
  max?: number;
};

const wholeShare = (fraction: number): string => `${Math.round(100 * fraction)}%`;

export const measures: Measure[] = [
  {
    title: 'Daily cost',
    of: ({ cost }) => cost,
    inWords: dollars,
    exactly: exactDollars,
    onAxis: axisDollars,
    type: 'bar',
    dayKind: 'completed_on',
  },
  {
    title: 'Daily runs',
    of: ({ runs }) => runs,
    inWords: count,
    onAxis: count,
    type: 'bar',
    dayKind: 'created_on',
    isWhole: true,
  },
  {
    title: 'Average duration',
    of: (day) => (hasCompleted(day) ? day.avg_duration_seconds / 60 : null),
    inWords: (minutes) => duration(Math.round(minutes * 60)),
    onAxis: (minutes) => `${count(minutes)} min`,
    type: 'line',
    dayKind: 'created_on',
  },
  {
    title: 'Success rate',
    of: (day) => (hasCompleted(day) ? day.success_rate : null),
    inWords: share,
    onAxis: wholeShare,
    type: 'line',
    dayKind: 'created_on',
    max: 1,
  },
];

/** On a day whose runs are all in progress, both figures are 0 and mean nothing. */
function hasCompleted({ runs, avg_duration_seconds, success_rate }: WorkflowDay): boolean {
  return runs > 0 && (avg_duration_seconds > 0 || success_rate > 0);
}

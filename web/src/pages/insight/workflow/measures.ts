import { axisDollars } from '../../../ui/chartWords.ts';
import { count, dollars, duration, exactDollars, share } from '../../../ui/figures.ts';
import type { WorkflowDay } from './queries.ts';
import type { DayKind } from './runFilter.ts';

/** A figure of a workflow that is followed day by day. */
export type Measure = {
  title: string;
  /** Null on days without runs, on which there is no such figure. */
  of: (day: WorkflowDay) => number | null;
  inWords: (value: number) => string;
  onAxis: (value: number) => string;
  /** By its exact digits, where the words leave some out. */
  exactly?: (value: number) => string;
  type: 'bar' | 'line';
  /** Which runs of a day the figure is of. */
  dayKind: DayKind;
  /** Whether parts of one make no sense. */
  isWhole?: boolean;
  /** Where the axis ends, whatever the values are. */
  most?: number;
};

const wholeShare = (fraction: number): string => `${Math.round(100 * fraction)}%`;

export const measures: Measure[] = [
  {
    title: 'Cost a day',
    of: ({ cost }) => cost,
    inWords: dollars,
    exactly: exactDollars,
    onAxis: axisDollars,
    type: 'bar',
    dayKind: 'completed_on',
  },
  {
    title: 'Runs a day',
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
    most: 1,
  },
];

/** On a day whose runs are all still going, both figures are 0 and mean nothing. */
function hasCompleted({ runs, avg_duration_seconds, success_rate }: WorkflowDay): boolean {
  return runs > 0 && (avg_duration_seconds > 0 || success_rate > 0);
}

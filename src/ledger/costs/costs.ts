import type { Database } from '../../platform/db/database.ts';
import {
  daysOf,
  previousWindow,
  weekdayOf,
  windowBetween,
  type Day,
  type Window,
} from '../../platform/lib/days.ts';
import { figuresOf, type CostFigures } from './costFigures.ts';
import { amountNames, type CostQuestion, type Dimension } from './costQuestion.ts';
import type { ColumnName } from './dayColumns.queries.ts';
import type { WorkflowNames } from './filters.ts';
import { readDays, type Reader } from './readDays.ts';
import { findWorkflowNames } from './workflows.queries.ts';

export type Costs = CostFigures & {
  period: Window;
  previousPeriod: Window | null;
  workflows: WorkflowNames;
};

/** What the jobs or runs of the window that pass all filters came to, by up to two dimensions. */
export async function getCosts(reader: Reader, question: CostQuestion): Promise<Costs> {
  const { window, metric } = question;
  const before = windowBefore(question);
  const [current = [], previous = []] = await readDays(reader, {
    facts: metric === 'runs' ? 'runs' : 'jobs',
    names: columnsFor(question),
    windows: before ? [window, before] : [window],
  });
  // Read last: so it has each workflow of the days.
  const workflows = await findNames(reader.db, reader.actor.orgId, dimensionsOf(question));
  const spans = spansOf(window, question.granularity);
  const spanAt = (distance: number) => spans.ofDay[Math.min(distance, spans.ofDay.length - 1)]!;
  const distanceOf = (day: Day) =>
    question.compare === 'previous_year'
      ? daysBetween(window.start, inYear(day, 1))
      : daysBetween(before!.start, day);
  const days = [
    ...current.map((facts) => ({
      facts,
      isEarlier: false,
      span: spanAt(daysBetween(window.start, facts.day)),
    })),
    ...previous.map((facts) => ({ facts, isEarlier: true, span: spanAt(distanceOf(facts.day)) })),
  ];
  const figures = await figuresOf(question, { days, workflows, starts: spans.starts });
  return { period: window, previousPeriod: before, workflows, ...figures };
}

function dimensionsOf({ groupBy, filters }: CostQuestion): Dimension[] {
  return [...groupBy, ...filters.map(({ dimension }) => dimension)];
}

/** The names of workflows, if a dimension needs them. */
export async function findNames(
  db: Database,
  orgId: string,
  dimensions: readonly Dimension[],
): Promise<WorkflowNames> {
  return dimensions.includes('workflowId') ? findWorkflowNames(db, orgId) : new Map();
}

/** The day itself needs no column. */
export function storedColumns(dimensions: readonly Dimension[]): ColumnName[] {
  return dimensions.filter((dimension) => dimension !== 'day' && dimension !== 'weekday');
}

function columnsFor(question: CostQuestion): ColumnName[] {
  const stored = storedColumns(dimensionsOf(question));
  const amount = amountNames[question.metric];
  return [...new Set<ColumnName>(amount ? [...stored, amount] : stored)];
}

function windowBefore({ window, compare: comparison }: CostQuestion): Window | null {
  if (comparison === 'none') return null;
  if (comparison === 'previous_period') return previousWindow(window);
  return windowBetween(inYear(window.start, -1), inYear(window.end, -1));
}

/** The same date some years later. February 29 becomes February 28. */
function inYear(day: Day, years: number): Day {
  const same = `${Number(day.slice(0, 4)) + years}${day.slice(4)}`;
  return same.endsWith('02-29') ? same.replace('29', '28') : same;
}

function daysBetween(first: Day, day: Day): number {
  return windowBetween(first, day).days - 1;
}

/** Each span's first day within the window, and the span of each day of the window. */
type Spans = { starts: Day[]; ofDay: number[] };

function spansOf(window: Window, granularity: CostQuestion['granularity']): Spans {
  const starts: Day[] = [];
  const ofDay = daysOf(window).map((day) => {
    if (starts.length === 0 || beginsSpan(day, granularity)) starts.push(day);
    return starts.length - 1;
  });
  return { starts, ofDay };
}

function beginsSpan(day: Day, granularity: CostQuestion['granularity']): boolean {
  if (granularity === 'week') return weekdayOf(day) === 'monday';
  return granularity === 'day' || (granularity === 'month' && day.endsWith('-01'));
}

import {
  daysOf,
  previousWindow,
  weekdayOf,
  windowBetween,
  type Day,
  type Window,
} from '../../platform/lib/days.ts';
import { figuresOf, type CostFigures, type PlacedDay } from './costFigures.ts';
import { amountNames, type CostQuestion } from './costQuestion.ts';
import type { ColumnName } from './dayColumns.queries.ts';
import { testOf, type WorkflowNames } from './filters.ts';
import type { DashboardContext } from './overview.ts';
import { readDays, type DayFacts } from './readDays.ts';
import { findWorkflowNames } from './workflows.queries.ts';

export type Costs = CostFigures & {
  period: Window;
  previousPeriod: Window | null;
  workflows: WorkflowNames;
};

/** What the jobs or runs of the window that pass all filters came to, by up to two dimensions. */
export async function getCosts(
  { db, actor }: Pick<DashboardContext, 'db' | 'actor'>,
  question: CostQuestion,
): Promise<Costs> {
  const { window, filters, metric } = question;
  const before = windowBefore(question);
  const workflows = await findNames(db, actor.orgId, question);
  const [current = [], previous = []] = await readDays(db, actor.orgId, {
    facts: metric === 'runs' ? 'runs' : 'jobs',
    names: columnsFor(question),
    windows: before ? [window, before] : [window],
  });
  const spans = spansOf(window, question.granularity);
  const days = [
    ...current.map((facts) => placedDay(facts, { window, spans, isEarlier: false })),
    ...previous.map((facts) => placedDay(facts, { window: before!, spans, isEarlier: true })),
  ];
  const tests = filters.map((filter) => testOf(filter, workflows));
  const figures = await figuresOf(question, { days, tests, starts: spans.starts });
  return { period: window, previousPeriod: before, workflows, ...figures };
}

async function findNames(
  db: DashboardContext['db'],
  orgId: string,
  { groupBy, filters }: CostQuestion,
): Promise<WorkflowNames> {
  const isAsked = [...groupBy, ...filters.map(({ dimension }) => dimension)].includes('workflow');
  return isAsked ? findWorkflowNames(db, orgId) : new Map();
}

function columnsFor({ groupBy, filters, metric }: CostQuestion): ColumnName[] {
  const dimensions = [...groupBy, ...filters.map(({ dimension }) => dimension)];
  const stored = dimensions.filter((dimension) => dimension !== 'day' && dimension !== 'weekday');
  // At least one column, which shows that the day's columns are current.
  return [...new Set<ColumnName>([...stored, amountNames[metric] ?? 'hour'])];
}

function windowBefore({ window, compare: comparison }: CostQuestion): Window | null {
  if (comparison === 'none') return null;
  if (comparison === 'previous_period') return previousWindow(window);
  return windowBetween(yearBefore(window.start), yearBefore(window.end));
}

/** February 29 becomes February 28. */
function yearBefore(day: Day): Day {
  const same = `${Number(day.slice(0, 4)) - 1}${day.slice(4)}`;
  return same.endsWith('02-29') ? same.replace('29', '28') : same;
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

/** A day of the earlier window counts for the span of the asked window's day with the same distance from the start. */
function placedDay(
  facts: DayFacts,
  { window, spans, isEarlier }: { window: Window; spans: Spans; isEarlier: boolean },
): PlacedDay {
  const distance = windowBetween(window.start, facts.day).days - 1;
  return { facts, isEarlier, span: spans.ofDay[Math.min(distance, spans.ofDay.length - 1)]! };
}

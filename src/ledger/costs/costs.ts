import type { Context } from '../../context.ts';
import { inSnapshot } from '../../platform/db/database.ts';
import {
  addDays,
  daysOf,
  previousWindow,
  weekdayOf,
  windowBetween,
  windowEnding,
  type Day,
  type Window,
} from '../../platform/lib/days.ts';
import { findDeductions, type Deductions } from '../pricing/netCost.ts';
import { comparedDays, type AnomalyRule } from './anomaly.ts';
import { figuresOf, type CostFigures } from './costFigures.ts';
import { amountNames, type CostQuestion, type Dimension } from './costQuestion.ts';
import type { ColumnName } from './dayColumns.queries.ts';
import type { WorkflowNames } from './filters.ts';
import { netAmountsOf, netColumns } from './netAmounts.ts';
import { findFirstDay } from './queries.ts';
import { makeColumns, readDays, type DayFacts, type Reader } from './readDays.ts';
import { amountsOf } from './sumRows.ts';
import { findWorkflowNames } from './workflows.queries.ts';

export type Costs = CostFigures & {
  period: Window;
  previousPeriod: Window | null;
  workflows: WorkflowNames;
  /** Null where no day is judged. */
  anomalyThresholdNanos: bigint | null;
};

export type CostReader = Reader & Pick<Context, 'providers'>;

/** Whether the days of its series can be called anomalous. */
export function hasJudgedDays({ granularity, metric }: CostQuestion): boolean {
  return granularity === 'day' && metric === 'cost';
}

/**
 * What the jobs or runs of the window that pass all filters came to, by up to two dimensions. With `judging`, the days
 * of a series of costs say whether they are anomalous.
 */
export async function getCosts(
  reader: CostReader,
  question: CostQuestion,
  judging: Omit<AnomalyRule, 'firstDay'> | null = null,
): Promise<Costs> {
  const { window, metric } = question;
  const { actor, providers } = reader;
  const before = windowBefore(question);
  const judged = hasJudgedDays(question) ? judging : null;
  const windows = [
    window,
    ...(before ? [before] : []),
    ...(judged ? [windowEnding(addDays(window.start, -1), comparedDays)] : []),
  ];
  const kind = metric === 'runs' ? 'runs' : 'jobs';
  const names = columnsFor(question);
  await makeColumns(reader, kind, windows);
  const read = await inSnapshot(reader.db, async (tx) => {
    const found = { days: [] as DayFacts[][], deductions: [] as Deductions[] };
    for (const each of windows) {
      found.days.push(await readDays(tx, actor.orgId, { facts: kind, names, window: each }));
      if (metric === 'net_cost')
        found.deductions.push(await findDeductions({ db: tx, actor, providers }, each));
    }
    return found;
  });
  const [current = [], ...earlier] = read.days;
  const previous = before ? earlier[0]! : [];
  const deductions: Deductions = new Map(read.deductions.flatMap((each) => [...each]));
  // Read last: so they have each workflow of the days, and the first of them.
  const workflows = await findNames(reader, question);
  const firstDay = judged && (await findFirstDay(reader.db, reader.actor.orgId));
  const spans = spansOf(window, question.granularity);
  const spanAt = (distance: number) => spans.ofDay[Math.min(distance, spans.ofDay.length - 1)]!;
  const distanceOf = (day: Day) =>
    question.compare === 'previous_year'
      ? daysBetween(window.start, inYear(day, 1))
      : daysBetween(before!.start, day);
  const days = [
    ...current.map((facts) => ({
      facts,
      period: 'asked' as const,
      span: spanAt(daysBetween(window.start, facts.day)),
    })),
    ...previous.map((facts) => ({
      facts,
      period: 'previous' as const,
      span: spanAt(distanceOf(facts.day)),
    })),
  ];
  const figures = await figuresOf(question, {
    ...{ days, workflows, starts: spans.starts },
    amountsOf: (day) =>
      metric === 'net_cost' ? netAmountsOf(day, deductions, providers) : amountsOf(day, amountNames[metric]),
    judging: judged && { ...judged, firstDay, days: earlier.at(-1)! },
  });
  return {
    ...{ period: window, previousPeriod: before, workflows },
    anomalyThresholdNanos: judged && judged.thresholdNanos,
    ...figures,
  };
}

type Grouped = Pick<CostQuestion, 'groupBy' | 'filters'>;

function dimensionsOf({ groupBy, filters }: Grouped): Dimension[] {
  return [...groupBy, ...filters.map(({ dimension }) => dimension)];
}

export async function findNames(reader: Reader, question: Grouped): Promise<WorkflowNames> {
  return dimensionsOf(question).includes('workflowId') ? getWorkflowNames(reader) : new Map();
}

export function getWorkflowNames({ db, actor }: Pick<Reader, 'db' | 'actor'>): Promise<WorkflowNames> {
  return findWorkflowNames(db, actor.orgId);
}

/** The stored columns that a question needs beside its amounts. */
export function columnsOf(question: Grouped): ColumnName[] {
  return dimensionsOf(question).filter((dimension) => dimension !== 'day' && dimension !== 'weekday');
}

function columnsFor(question: CostQuestion): ColumnName[] {
  const stored = columnsOf(question);
  const amount = amountNames[question.metric];
  const needed = question.metric === 'net_cost' ? netColumns : amount ? [amount] : [];
  return [...new Set<ColumnName>([...stored, ...needed])];
}

export function windowBefore({
  window,
  compare: comparison,
}: Pick<CostQuestion, 'window' | 'compare'>): Window | null {
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

import type { Context } from '../../context.ts';
import type { Database } from '../../platform/db/database.ts';
import {
  addDays,
  addMonths,
  daysOf,
  monthsFrom,
  previousOf,
  weekdayOf,
  windowBetween,
  windowEnding,
  type Day,
  type Window,
} from '../../platform/lib/days.ts';
import { findDeductions, type Deductions } from '../pricing/netCost.ts';
import { maxBaselineDays, type AnomalyRule } from './anomaly.ts';
import type { ColumnName } from './columns/dayColumns.queries.ts';
import type { Reader } from './columns/readDays.ts';
import { amountsOf, type DayFacts } from './columns/sumRows.ts';
import { withDays, type Days, type DaySelection } from './columns/withDays.ts';
import { figuresOf, type CostFigures, type Rows } from './costFigures.ts';
import { amountNames, type CostQuestion } from './costQuestion.ts';
import type { WorkflowNames } from './filters.ts';
import { netAmountsOf, netColumns } from './netAmounts.ts';
import { findWorkflowNames } from './workflows.queries.ts';

export type Costs = CostFigures & {
  period: Window;
  previousPeriod: Window | null;
  workflows: WorkflowNames;
  providers: CostReader['providers'];
  /** Null if no day is judged. */
  anomalyThresholdNanos: bigint | null;
};

type UnsortedQuestion = Omit<CostQuestion, 'sort' | 'limit'>;

export type CostReader = Reader & Pick<Context, 'providers'>;

export function hasJudgedDays({
  granularity,
  metric,
}: Pick<CostQuestion, 'granularity' | 'metric'>): boolean {
  return granularity === 'day' && metric === 'cost';
}

/**
 * Sums up the jobs or runs of the window that pass all filters, by up to two dimensions. With `judging`, it marks
 * anomalous days in series of costs.
 */
export async function getCosts(
  reader: CostReader,
  question: CostQuestion,
  judging: AnomalyRule | null = null,
): Promise<Costs> {
  const [costs] = await getCostsTogether(reader, [question], judging);
  return costs!;
}

/**
 * Answers questions from one snapshot. Either all ask for jobs or all for runs, and all use the ownership rules of
 * the same day.
 */
export async function getCostsTogether(
  reader: CostReader,
  questions: readonly CostQuestion[],
  judging: AnomalyRule | null = null,
): Promise<Costs[]> {
  const selection = selectDays(questions, judging);
  const read = await withDays(reader, selection, (days) => readFacts(reader, days, selection));
  const answers: Costs[] = [];
  for (const question of questions) answers.push(await answer(question, read, judging));
  return answers;
}

type CostDays = DaySelection & { hasNet: boolean };

export function selectDays(questions: readonly UnsortedQuestion[], judging: AnomalyRule | null): CostDays {
  const windows = questions
    .flatMap((question) => Object.values(windowsOf(question, judging)))
    .filter((window) => window !== null);
  return {
    facts: questions.some(({ metric }) => metric === 'runs') ? 'runs' : 'jobs',
    questions,
    windows: [...new Map(windows.map((window) => [keyOf(window), window])).values()],
    columns: questions.flatMap(amountColumnsOf),
    hasNet: questions.some(({ metric }) => metric === 'net_cost'),
  };
}

export async function readFacts(
  { actor, providers }: Pick<CostReader, 'actor' | 'providers'>,
  days: Days,
  { windows, hasNet }: Pick<CostDays, 'windows' | 'hasNet'>,
): Promise<ReadFacts> {
  const within = { db: days.tx, actor, providers };
  const daysOfWindow = new Map<string, DayFacts[]>();
  const deductions: Deductions[] = [];
  for (const window of windows) {
    daysOfWindow.set(keyOf(window), await days.read(window));
    if (hasNet) deductions.push(await findDeductions(within, window));
  }
  return {
    daysIn: (window: Window) => daysOfWindow.get(keyOf(window))!,
    deductions: new Map(deductions.flatMap((each) => [...each])),
    providers,
    workflows: days.workflows,
  };
}

function keyOf({ start, end }: Window): string {
  return `${start} ${end}`;
}

function windowsOf(question: UnsortedQuestion, judging: AnomalyRule | null) {
  const { window } = question;
  const isJudged = judging !== null && hasJudgedDays(question);
  return {
    current: window,
    previous: previousWindowOf(question),
    judging: isJudged ? windowEnding(addDays(window.start, -1), maxBaselineDays) : null,
  };
}

type ReadFacts = Pick<CostReader, 'providers'> & {
  daysIn: (window: Window) => DayFacts[];
  workflows: WorkflowNames;
  deductions: Deductions;
};

async function answer(question: CostQuestion, read: ReadFacts, judging: AnomalyRule | null): Promise<Costs> {
  const windows = windowsOf(question, judging);
  return {
    period: question.window,
    previousPeriod: windows.previous,
    workflows: read.workflows,
    providers: read.providers,
    anomalyThresholdNanos: windows.judging && judging && judging.thresholdNanos,
    ...(await figuresOf(question, rowsFor(question, read, judging))),
  };
}

export function rowsFor(question: UnsortedQuestion, read: ReadFacts, judging: AnomalyRule | null): Rows {
  const { window, metric } = question;
  const windows = windowsOf(question, judging);
  const spans = spansOf(question);
  const before = previousSpansOf(question, spans, windows.previous);
  const daysIn = (each: Window | null) => (each ? read.daysIn(each) : []);
  const days = [
    ...daysIn(window).map((facts) => ({
      facts,
      period: 'current' as const,
      span: spans.get(facts.day)!,
    })),
    ...daysIn(windows.previous).map((facts) => ({
      facts,
      period: 'previous' as const,
      span: before.get(facts.day) ?? null,
    })),
  ];
  const judged = windows.judging && judging;
  return {
    days,
    workflows: read.workflows,
    starts: startsOf(spans),
    compared: new Set(before.values()),
    amountsOf: (day) =>
      metric === 'net_cost'
        ? netAmountsOf(day, read.deductions, read.providers)
        : amountsOf(day, amountNames[metric]),
    judging: judged && { ...judged, days: daysIn(windows.judging) },
  };
}

export function getWorkflowNames(db: Database, orgId: string): Promise<WorkflowNames> {
  return findWorkflowNames(db, orgId);
}

function amountColumnsOf({ metric }: Pick<CostQuestion, 'metric'>): readonly ColumnName[] {
  if (metric === 'net_cost') return netColumns;
  const amount = amountNames[metric];
  return amount ? [amount] : [];
}

export function previousWindowOf({
  window,
  unit = 'day',
  compare: comparison,
}: Pick<CostQuestion, 'window' | 'unit' | 'compare'>): Window | null {
  if (comparison === 'none') return null;
  if (comparison === 'previous_period') return previousOf(window, unit);
  return windowBetween(addMonths(window.start, -12), addMonths(window.end, -12));
}

/** The index of the time span of each day, in order. */
type Spans = Map<Day, number>;

function spansOf(question: Spanned & Pick<CostQuestion, 'window'>): Spans {
  let span = 0;
  return new Map(
    daysOf(question.window).map((day, index) => {
      if (index > 0 && beginsSpan(day, question)) span += 1;
      return [day, span];
    }),
  );
}

function startsOf(spans: Spans): Day[] {
  const starts: Day[] = [];
  for (const [day, span] of spans) starts[span] ??= day;
  return starts;
}

/**
 * The span of each day of the previous window, by its date if months or years are compared, else by its place. A date
 * that a shorter month lacks has no day to stand at, but a week or month contains it.
 */
function previousSpansOf(
  { window, unit, compare, granularity }: UnsortedQuestion,
  spans: Spans,
  previous: Window | null,
): Spans {
  if (!previous) return new Map();
  const isByDate = compare === 'previous_year' || unit === 'month';
  const months = monthsFrom(previous.start, window.start) - 1;
  const days = daysOf(window);
  const placed: Spans = new Map();
  for (const [index, day] of daysOf(previous).entries()) {
    const same = isByDate ? addMonths(day, months) : days[index]!;
    const isLacking = isByDate && same.slice(8) !== day.slice(8);
    if (!isLacking || granularity !== 'day') placed.set(day, spans.get(same) ?? 0);
  }
  return placed;
}

type Spanned = Pick<CostQuestion, 'granularity' | 'weekStart'>;

function beginsSpan(day: Day, { granularity, weekStart = 'monday' }: Spanned): boolean {
  if (granularity === 'week') return weekdayOf(day) === weekStart;
  return granularity === 'day' || (granularity === 'month' && day.endsWith('-01'));
}

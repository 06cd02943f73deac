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
import { maxBaselineDays } from './anomaly.ts';
import { namesProduct, type CostQuestion } from './costQuestion.ts';

type Question = Omit<CostQuestion, 'sort' | 'limit'>;

/** The index of the time span of each day, in order. */
type Spans = Map<Day, number>;

/** Which days a question reads, and the time span that each counts toward. */
export type Periods = {
  current: Window;
  previous: Window | null;
  /** The days before the series, if its days are judged. */
  judging: Window | null;
  spans: Spans;
  previousSpans: Spans;
  /** The first day of each time span. */
  starts: Day[];
};

export function periodsOf(question: Question, isJudged: boolean): Periods {
  const { window } = question;
  const previous = previousWindowOf(question);
  const { spans, starts } = spansOf(question);
  return {
    current: window,
    previous,
    judging: isJudged ? windowEnding(addDays(window.start, -1), maxBaselineDays) : null,
    spans,
    previousSpans: previousSpansOf(question, spans, previous),
    starts,
  };
}

/** Alerts know jobs only, so they judge no day of a question about products. */
export function hasJudgedDays(
  question: Pick<CostQuestion, 'granularity' | 'metric' | 'groupBy' | 'filters'>,
): boolean {
  return question.granularity === 'day' && question.metric === 'cost' && !namesProduct(question);
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

function spansOf(question: Question): Pick<Periods, 'spans' | 'starts'> {
  const starts: Day[] = [];
  const spans: Spans = new Map();
  for (const day of daysOf(question.window)) {
    if (starts.length === 0 || beginsSpan(day, question)) starts.push(day);
    spans.set(day, starts.length - 1);
  }
  return { spans, starts };
}

/**
 * The span of each day of the previous window, by its date if months or years are compared, else by its place. A date
 * that a shorter month lacks has no day to stand at, but a week or month contains it.
 */
function previousSpansOf(
  { window, unit, compare, granularity }: Question,
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

function beginsSpan(day: Day, { granularity, weekStart = 'monday' }: Question): boolean {
  if (granularity === 'week') return weekdayOf(day) === weekStart;
  return granularity === 'day' || (granularity === 'month' && day.endsWith('-01'));
}

import type { ChangedGroup, ChangeFigures, ChangeQuestion, CostChange } from '../../ledger/costs/change.ts';
import type { NamedEvent } from '../../ledger/costs/whatChanged/firstJobs.ts';
import { eventSentence } from '../../ledger/costs/whatChanged/words.ts';
import { csvLine, harmless } from '../../platform/lib/csv.ts';
import { formatNanos, magnitude, usd } from '../../platform/lib/money.ts';
import { eventView } from './changeEventsView.ts';
import { causeParts, changeCause, changeSentence, type Summary } from './changeSentence.ts';
import {
  changePercent,
  dimensionCells,
  dimensionColumns,
  groupByNames,
  narrow,
  readableName,
  valuesView,
} from './costsView.ts';

export function changeView(question: ChangeQuestion, change: CostChange) {
  const names = groupByNames(question);
  const { period, previousPeriod, total, groups, other } = change;
  const cause = causeParts(summaryOf(question, change));
  const sumView = ({ groups: count, changeNanos }: CostChange['new']) => ({
    groups: count,
    change: usd(changeNanos),
  });
  return {
    period,
    previous_period: previousPeriod,
    group_by: names,
    sentence: sentenceOf(question, change),
    events: change.events.map((event) => ({
      ...eventView(question, change, event),
      explains_half: explainsHalf(event, total),
    })),
    cause: cause.map(({ text }) => text).join(''),
    cause_parts: cause,
    total: figuresView(total),
    new: sumView(change.new),
    vanished: sumView(change.vanished),
    groups: groups.map((group) => ({
      by: valuesView(names, group.values, change),
      status: group.status,
      ...figuresView(group),
      narrow: narrowPath(question, change, group),
    })),
    other: other && { groups: other.groups, ...figuresView(other) },
  };
}

/** The largest event, and how much the whole period changed. */
function sentenceOf(question: ChangeQuestion, change: CostChange): string {
  const [event] = change.events;
  const summary = summaryOf(question, change);
  if (!event) return changeSentence(summary);
  const isExplained = explainsHalf(event, change.total);
  return `${eventSentence(event, change)} ${changeSentence({ ...summary, isExplained })}`;
}

/** Then it says more than the parts of the change. */
function explainsHalf({ costNanos, usualNanos }: NamedEvent, { changeNanos }: ChangeFigures): boolean {
  return 2n * magnitude(costNanos - usualNanos) >= magnitude(changeNanos);
}

/** What happened on which days, or what the change is made of. */
export function causeOf(question: ChangeQuestion, change: CostChange): string {
  const [event] = change.events;
  return event ? eventSentence(event, change) : changeCause(summaryOf(question, change));
}

function summaryOf(question: ChangeQuestion, change: CostChange): Summary {
  const groupBy = groupByNames(question);
  return {
    ...change,
    groupBy,
    isFiltered: question.filters.length > 0,
    leading: change.leading.map((group) => ({
      ...group,
      names: group.values.map((value, index) =>
        value === null ? null : readableName(groupBy[index]!, value, change),
      ),
    })),
  };
}

function figuresView(figures: ChangeFigures) {
  return {
    value: usd(figures.costNanos),
    previous_value: usd(figures.previousNanos),
    change: usd(figures.changeNanos),
    change_percent: changePercent(figures.costNanos, figures.previousNanos),
    volume: usd(figures.volumeNanos),
    duration: usd(figures.durationNanos),
    price: usd(figures.priceNanos),
    mix: usd(figures.mixNanos),
    jobs: Number(figures.jobs),
    previous_jobs: Number(figures.previousJobs),
    minutes: Number(figures.minutes),
    previous_minutes: Number(figures.previousMinutes),
  };
}

function narrowPath(
  question: ChangeQuestion,
  { period, previousPeriod }: CostChange,
  { values }: ChangedGroup,
) {
  const parameters = new URLSearchParams({
    from: period.start,
    to: period.end,
    compared_from: previousPeriod.start,
    compared_to: previousPeriod.end,
  });
  if (question.ownersOn) parameters.set('ownership', 'today');
  narrow(parameters, question, values);
  if (!parameters.has('group_by')) parameters.set('group_by', '');
  return `/api/v1/costs/change?${parameters.toString()}`;
}

const amountColumns: [column: string, name: keyof ChangeFigures][] = [
  ['cost_usd', 'costNanos'],
  ['previous_cost_usd', 'previousNanos'],
  ['change_cost_usd', 'changeNanos'],
  ['volume_usd', 'volumeNanos'],
  ['duration_usd', 'durationNanos'],
  ['price_usd', 'priceNanos'],
  ['mix_usd', 'mixNanos'],
];
const countColumns: [column: string, name: keyof ChangeFigures][] = [
  ['jobs', 'jobs'],
  ['previous_jobs', 'previousJobs'],
  ['minutes', 'minutes'],
  ['previous_minutes', 'previousMinutes'],
];

/** One line per group and one for all others, or one for the total if the question has no dimension. */
export function changeCsv(question: ChangeQuestion, change: CostChange): string {
  const names = groupByNames(question);
  const columns = dimensionColumns(names);
  const cellsOf = (figures: ChangeFigures) => [
    ...amountColumns.map(([, name]) => formatNanos(figures[name])),
    ...countColumns.map(([, name]) => String(figures[name])),
  ];
  const lines = change.groups.map(({ values, status, ...figures }) => [
    'group',
    ...dimensionCells(names, values, change).map(harmless),
    status,
    ...cellsOf(figures),
  ]);
  const without = (row: string, figures: ChangeFigures) => [
    row,
    ...columns.map(() => ''),
    '',
    ...cellsOf(figures),
  ];
  if (names.length === 0) lines.push(without('total', change.total));
  if (change.other) lines.push(without('other', change.other));
  const headings = [...amountColumns, ...countColumns].map(([column]) => column);
  return [['row', ...columns, 'status', ...headings], ...lines].map(csvLine).join('');
}

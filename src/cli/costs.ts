import { exactPercent, signedDollars } from '../platform/lib/amountTexts.ts';
import { usd } from '../platform/lib/money.ts';
import { filtered, filterHelp } from './filters.ts';
import {
  changePercentFigure,
  countFigure,
  figure,
  headingOf,
  periodText,
  printGroups,
  percentFigure,
  percentText,
  signedUsdFigure,
  type Figure,
} from './groupTable.ts';
import { formatCount, printLeftOut, printNote } from './output.ts';
import type { Answer } from './session.ts';
import { dollarsOf, nanosOf } from './tables.ts';
import { maxRows, whole, type Options, type TailoredGroup } from './verbCommand.ts';

function figuresOf({ metric, total, previous_period: previous }: Answer): Figure[] {
  const isMoney = metric.endsWith('cost');
  const amount = (value: Answer): string => (isMoney ? dollarsOf(value) : formatCount(value));
  const signed = (value: Answer): string =>
    isMoney
      ? signedDollars(nanosOf(value))
      : `${value > 0 ? '+' : value < 0 ? '−' : ''}${formatCount(Math.abs(value))}`;
  const spans = (total.series as Answer[]).map(({ start }, index): Figure => {
    const cell = ({ value, is_anomalous: isAnomalous }: Answer) =>
      `${amount(value)}${isAnomalous ? '!' : ''}`;
    return [start, ({ series }) => cell(series[index])];
  });
  const compared: Figure[] = [
    ['BEFORE', ({ previous_value: value }) => amount(value)],
    ['CHANGE', ({ change }) => signed(change)],
    changePercentFigure,
  ];
  return [
    ...spans,
    [headingOf(metric), ({ value }) => amount(value)],
    percentFigure('value'),
    ...(previous ? compared : []),
  ];
}

function printCosts(costs: Answer): void {
  const { period, metric, total, groups, anomaly_threshold_percent: threshold } = costs;
  if (groups.length === 0 && total.value === 0)
    return printNothing(metric === 'runs' ? 'runs' : 'completed jobs', period);
  printGroups(costs, figuresOf(costs));
  printEnd(costs);
  const isUnpriced = ({ by }: Answer): boolean =>
    by.some(({ dimension, value }: Answer) => dimension === 'runner' && value === null);
  if (groups.some(isUnpriced)) printNote('Unpriced jobs count as $0. To price them: `price unpriced`.');
  const isJudged = ({ series }: Answer): boolean => series.some((each: Answer) => each.is_anomalous);
  if ([total, ...groups].some(isJudged))
    printNote(
      `! marks days that rose by more than ${exactPercent(nanosOf(threshold))} over the same weekday.`,
    );
}

/** The period, and how to see the groups that are left out. */
function printEnd({ groups, other, ...periods }: Answer, count = groups.length + (other?.groups ?? 0)): void {
  printNote(periodText(periods));
  printLeftOut(groups.length, count, 'groups', maxRows);
}

function printChange(change: Answer): void {
  const { sentence, total, group_by: names } = change;
  console.log(sentence);
  if (total.jobs === 0 && total.previous_jobs === 0) return;
  console.log('');
  const status: Figure = ['STATUS', (group) => (group.status === 'continued' ? '' : (group.status ?? ''))];
  printGroups(change, [
    ...(names.length > 0 ? [status] : []),
    figure('COST', 'value', 'usd'),
    figure('BEFORE', 'previous_value', 'usd'),
    signedUsdFigure('CHANGE', 'change'),
    changePercentFigure,
    ...['volume', 'duration', 'price', 'mix'].map((part) => signedUsdFigure(part.toUpperCase(), part)),
  ]);
  printEnd(change);
}

function printDurations(durations: Answer): void {
  const { of, period, total, group_count: count } = durations;
  if (total.count === 0) return printNothing(`${of} that ended`, period);
  printGroups(durations, [
    countFigure(of.toUpperCase(), 'count'),
    figure('P50', 'duration_p50_seconds', 'duration'),
    figure('P95', 'duration_p95_seconds', 'duration'),
    figure('QUEUE P50', 'queue_p50_seconds', 'duration'),
    figure('QUEUE P95', 'queue_p95_seconds', 'duration'),
    countFigure('MINUTES', 'total_minutes'),
  ]);
  printEnd(durations, count);
}

function printWorkflows(answer: Answer, { waste }: Options): void {
  const { data, total, previous_period: previous } = answer;
  if (total.workflows === 0) return printNothing('workflows', answer.period);
  const withChange = (figures: Answer): Answer => ({
    ...figures,
    ...(previous && { change: usd(nanosOf(figures.cost) - nanosOf(figures.previous_cost)) }),
  });
  printGroups(
    {
      group_by: ['workflow', 'repository'],
      groups: data.map(({ workflow_name: name, repo_name: repository, ...figures }: Answer) => ({
        by: [{ name }, { name: repository }],
        ...withChange(figures),
      })),
      total: withChange(total),
    },
    [
      figure('COST', 'cost', 'usd'),
      ...(previous ? [signedUsdFigure('CHANGE', 'change'), changePercentFigure] : []),
      countFigure('RUNS', 'runs'),
      ['SUCCESS', ({ success_rate: rate }) => (rate === null ? '-' : percentText(100 * rate))],
      figure('P50', 'duration_p50_seconds', 'duration'),
      figure('P95', 'duration_p95_seconds', 'duration'),
      ...(waste ? [figure('WASTE', 'waste_cost', 'usd')] : []),
    ],
  );
  printNote(periodText(answer));
  printLeftOut(data.length, total.workflows, 'workflows', maxRows);
}

function printShowback({ by, metric, owners, total, ...periods }: Answer): void {
  const groups = (owners as Answer[]).map(({ name, ...figures }) => ({ ...figures, by: [{ name }] }));
  printGroups({ group_by: [by], groups, total }, [
    figure(headingOf(metric), 'cost', 'usd'),
    percentFigure('cost'),
    countFigure('MINUTES', 'minutes'),
    countFigure('JOBS', 'jobs'),
    figure('BEFORE', 'previous_cost', 'usd'),
    signedUsdFigure('CHANGE', 'change'),
    changePercentFigure,
  ]);
  printNote(periodText(periods));
  if (!(owners as Answer[]).some(({ owner }) => owner !== null))
    printNote(
      `No ${by.replace('_', ' ')} has costs in this month. \`ownership add\` maps repositories to owners.`,
    );
}

export function printNothing(rows: string, { start, end }: Answer): void {
  printNote(`No ${rows} match from ${start} to ${end}.`);
}

export const costCommands: TailoredGroup = {
  'cost list': {
    ...filtered('cost list'),
    words: 'costs',
    defaults: { group_by: 'repository' },
    json: whole,
    print: printCosts,
    help: `${filterHelp}
Examples:
  runcost costs --group-by repository,runner --days 30 --filter branch=main
  runcost costs --group-by workflow --filter 'branch=!main' --compare previous_period --sort -change
  runcost costs --group-by branch --from 2026-03-01 --to 2026-03-31 --csv > march.csv`,
  },
  'cost change get': {
    ...filtered('cost change get'),
    words: 'costs change',
    title: 'explain what changed between two periods',
    print: printChange,
    help: `
VOLUME is more or fewer jobs, DURATION longer or shorter ones, PRICE other prices, and MIX other runners. They add up to CHANGE.

Examples:
  runcost costs change --days 7
  runcost costs change --from 2026-03-01 --to 2026-03-31 --compared-from 2026-02-01 --compared-to 2026-02-28
  runcost costs change --group-by repository,runner --filter branch=main`,
  },
  'duration list': {
    ...filtered('duration list'),
    words: 'durations',
    defaults: { group_by: 'workflow' },
    json: whole,
    print: printDurations,
    help: `${filterHelp}
P50 is the median: half of the jobs took this long or less. P95: 95% did.

Examples:
  runcost durations --group-by workflow --of runs
  runcost durations --group-by job,runner --filter repository=acme/api --sort -duration_p95
  runcost durations --group-by label --sort -queue_p95`,
  },
  'cost workflow list': {
    ...filtered('cost workflow list'),
    words: 'workflows',
    limit: 20,
    print: printWorkflows,
    help: `${filterHelp}
Examples:
  runcost workflows --compare previous_period --sort -change
  runcost workflows --filter repository=acme/api --waste --sort -waste`,
  },
  'showback get': {
    words: 'showback',
    print: printShowback,
  },
};

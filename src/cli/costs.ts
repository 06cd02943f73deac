import { Option, type Command } from 'commander';
import type { App } from '../app.ts';
import {
  changePercent,
  costsCsv,
  costsView,
  groupByNames,
  readableName,
} from '../insight/explore/costsView.ts';
import {
  dimensionNames,
  readQuestion,
  wrongDimension,
  type CostsParameters,
  type FilterParameters,
  type WindowParameters,
} from '../insight/explore/readQuestion.ts';
import type { Figures } from '../ledger/costs/costFigures.ts';
import {
  comparisons,
  granularities,
  isMoney,
  metrics,
  ownerships,
  sorts,
  type CostQuestion,
} from '../ledger/costs/costQuestion.ts';
import { getCosts, type Costs } from '../ledger/costs/costs.ts';
import { findUnusualRule } from '../ledger/costs/unusualDays.ts';
import { exactPercent } from '../platform/lib/amountTexts.ts';
import { invalid } from '../platform/lib/errors.ts';
import { magnitude, percentOf } from '../platform/lib/money.ts';
import { getOrganization, weekStarts } from '../tenancy/organizations/organizations.ts';
import { collect, contextFor, namingOptions, orgOption, readDay, wholeNumber, withApp } from './command.ts';
import {
  dollars,
  formatCount,
  printJson,
  printLeftOut,
  printNote,
  printTable,
  signedDollars,
} from './output.ts';

type CostsOptions = Pick<
  CostsParameters,
  'from' | 'to' | 'days' | 'metric' | 'granularity' | 'compare' | 'ownership' | 'sort' | 'limit'
> & {
  groupBy: string;
  filter: string[];
  weekStart: CostsParameters['week_start'];
  org?: string;
  json?: boolean;
  csv?: boolean;
};

export const maxLimit = 1_000;

export function addQuestionOptions(command: Command, groupBy: string): Command {
  return command
    .option('--group-by <names>', `one or two of ${dimensionNames.join(', ')}`, groupBy)
    .option(...daysOption)
    .option('--from <day>', 'first UTC day')
    .option('--to <day>', 'last UTC day')
    .option(...filterOption)
    .addOption(ownershipOption);
}

export const limitOption = [
  '--limit <count>',
  'groups to show, 1 to 1,000',
  wholeNumber(1, maxLimit),
  20,
] as const;

export function compareOption(): Option {
  return new Option('--compare <name>', 'with the previous period or a year before')
    .choices(comparisons)
    .default('none');
}

function addCostsCommand(program: Command): Command {
  return addQuestionOptions(program.command('costs'), 'repository')
    .description('show costs by repository, workflow, branch, runner and more')
    .enablePositionalOptions()
    .addOption(new Option('--metric <name>', 'what to add up').choices(metrics).default('cost'))
    .addOption(
      new Option('--granularity <name>', 'the total, or a figure for each')
        .choices(granularities)
        .default('total'),
    )
    .addOption(new Option('--week-start <day>', 'first day of weeks; monday if left out').choices(weekStarts))
    .addOption(compareOption())
    .addOption(new Option('--sort <name>', 'order; - sorts downwards').choices(sorts).default('-value'))
    .option(...limitOption)
    .option(...orgOption)
    .option('--json', 'print the data of GET /api/v1/costs')
    .addOption(new Option('--csv', 'print the answer as CSV').conflicts('json'))
    .addHelpText('after', help)
    .action((options: CostsOptions) => withApp((app) => showCosts(app, options)));
}

export const daysOption = [
  '--days <count>',
  'days up to today, 1 to 365; 30 without --from and --to',
  wholeNumber(1, 365),
] as const;

export const filterOption = [
  '--filter <name=value>',
  'only this value; can be repeated',
  collect,
  [] as string[],
] as const;

export const ownershipOption = new Option(
  '--ownership <name>',
  'the rules for team and cost_center: of each day, or of today',
)
  .choices(ownerships)
  .default('of_day');

export const filterHelp = `
A filter names a dimension of --group-by and a value. Repeat it to match any of several values. ! before a value excludes
it, * stands for any characters, = before a value takes it literally, and an empty value matches what has none.
`;

const help = `${filterHelp}
Examples:
  runcost costs --group-by repository,runner --days 30 --filter branch=main
  runcost costs --group-by workflow --filter 'branch=!main' --compare previous_period --sort -change
  runcost costs --group-by branch --from 2026-03-01 --to 2026-03-31 --csv > march.csv
`;

async function showCosts(app: App, options: CostsOptions): Promise<void> {
  const ctx = await contextFor(app, options.org);
  const { plan } = await getOrganization(ctx);
  const question = await namingOptions(
    async () => readQuestion(parametersOf(options), { clock: ctx.clock, plan }),
    { ...optionNames, 'granularity=day': '--granularity day' },
  );
  const judging = await findUnusualRule(ctx);
  const costs = await namingOptions(() => getCosts({ ...ctx, log: app.log }, question, judging));
  if (options.json) return printJson(costsView(question, costs));
  if (options.csv) return void process.stdout.write(costsCsv(question, costs));
  if (costs.groups.length === 0 && costs.total.value === 0n) return printNothing(question, costs);
  printCosts(question, costs);
}

/** Names of options in error messages about the query. */
export const optionNames = { '`from`': '--from' };

function parametersOf({ groupBy, filter, weekStart, from, to, ...options }: CostsOptions): CostsParameters {
  return {
    ...options,
    week_start: weekStart,
    ...filtersOf(filter),
    ...daysOf({ from, to }),
    group_by: groupBy,
  };
}

export function daysOf({ from, to }: WindowParameters): WindowParameters {
  return { from: from && readDay('--from', from), to: to && readDay('--to', to) };
}

export function filtersOf(texts: readonly string[], option = '--filter'): FilterParameters {
  const filters: Record<string, string[]> = {};
  for (const text of texts) {
    const [, name = text, value] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    if (value === undefined)
      throw invalid(option, `must be NAME=VALUE such as branch=main; "${text}" has no =`);
    if (!(dimensionNames as readonly string[]).includes(name)) {
      throw invalid(option, `must name one ${wrongDimension(name)}`);
    }
    (filters[name] ??= []).push(value);
  }
  return filters;
}

function printNothing({ metric }: CostQuestion, { period }: Costs): void {
  const rows = metric === 'runs' ? 'runs' : 'completed jobs';
  printNote(`No ${rows} match from ${period.start} to ${period.end}.`);
}

function printCosts(question: CostQuestion, costs: Costs): void {
  const { period, previousPeriod, total, groups, other } = costs;
  const names = groupByNames(question);
  const spans = question.granularity === 'total' ? [] : total.series.map(({ start }) => start);
  const rowOf = (texts: string[], figures: Figures) => [
    ...texts,
    ...figures.series.map(({ value, isAnomalous }) => `${amount(question, value)}${isAnomalous ? '!' : ''}`),
    amount(question, figures.value),
    shareText(figures.value, total.value),
    ...(figures.previous === null ? [] : changeTexts(question, figures.value, figures.previous)),
  ];
  const otherNames = (text: string) => names.map((_, index) => (index === 0 ? text : ''));
  printTable(
    [
      ...names.map((name) => name.replace('_', ' ').toUpperCase()),
      ...spans,
      question.metric.replace('_', ' ').toUpperCase(),
      'SHARE',
      ...(previousPeriod ? ['BEFORE', 'CHANGE', '%'] : []),
    ],
    [
      ...groups.map(({ values, ...figures }) =>
        rowOf(
          values.map((value, index) => readableName(names[index]!, value, costs)),
          figures,
        ),
      ),
      ...(other
        ? [
            rowOf(
              otherNames(`${formatCount(other.groups)} ${other.groups === 1 ? 'other' : 'others'}`),
              other,
            ),
          ]
        : []),
      rowOf(otherNames('total'), total),
    ],
  );
  printNote(`${period.start} to ${period.end}${comparedText(costs)}.`);
  if ([total, ...groups].some(({ series }) => series.some(({ isAnomalous }) => isAnomalous))) {
    printNote(
      `! marks days that rose by more than ${exactPercent(costs.anomalyThresholdNanos!)} over the same weekday.`,
    );
  }
  printLeftOut(groups.length, groups.length + (other?.groups ?? 0), 'groups', maxLimit);
}

export function comparedText({ previousPeriod: previous }: Pick<Costs, 'previousPeriod'>): string {
  return previous ? `, compared with ${previous.start} to ${previous.end}` : '';
}

function amount({ metric }: CostQuestion, value: bigint): string {
  return isMoney(metric) ? dollars(value) : formatCount(Number(value));
}

function shareText(value: bigint, total: bigint): string {
  return `${percentOf(value, total).toFixed(1)}%`;
}

function changeTexts(question: CostQuestion, value: bigint, previous: bigint): string[] {
  const change = value - previous;
  const sign = change > 0n ? '+' : change < 0n ? '−' : '';
  const text = isMoney(question.metric)
    ? signedDollars(change)
    : `${sign}${formatCount(Number(magnitude(change)))}`;
  return [amount(question, previous), text, changePercentText(value, previous)];
}

export function changePercentText(value: bigint, previous: bigint): string {
  const percent = changePercent(value, previous);
  if (value === previous) return '0.0%';
  return percent === null ? 'new' : `${value > previous ? '+' : '−'}${Math.abs(percent).toFixed(1)}%`;
}

export async function addCostsCommands(program: Command): Promise<void> {
  const { addChangeCommand } = await import('./costsChange.ts');
  addChangeCommand(addCostsCommand(program));
}

import { Option, type Command } from 'commander';
import type { App } from '../app.ts';
import { changeCsv, changeView, sentenceOf } from '../insight/explore/changeView.ts';
import { groupByNames, readableName } from '../insight/explore/costsView.ts';
import { readChangeQuestion, type ChangeParameters } from '../insight/explore/readQuestion.ts';
import {
  getChange,
  type ChangeFigures,
  type ChangeQuestion,
  type CostChange,
} from '../ledger/costs/change.ts';
import { oneLine } from '../platform/lib/text.ts';
import { getOrganization } from '../tenancy/organizations/organizations.ts';
import { contextFor, namingOptions, orgOption, readDay, withApp } from './command.ts';
import {
  addQuestionOptions,
  changePercentText,
  filtersOf,
  limitOption,
  maxLimit,
  optionNames,
} from './costs.ts';
import {
  dollars,
  formatCount,
  printJson,
  printLeftOut,
  printNote,
  printTable,
  signedDollars,
} from './output.ts';

type ChangeOptions = Pick<ChangeParameters, 'from' | 'to' | 'days' | 'compare' | 'ownership' | 'limit'> & {
  comparedFrom?: string;
  comparedTo?: string;
  groupBy: string;
  filter: string[];
  org?: string;
  json?: boolean;
  csv?: boolean;
};

export function addChangeCommand(costs: Command): void {
  addQuestionOptions(costs.command('change'), 'workflow')
    .description('explain what changed between two periods')
    .addOption(
      new Option('--compare <name>', 'with the previous period, by default; or with a year before').choices([
        'previous_period',
        'previous_year',
      ]),
    )
    .option('--compared-from <day>', 'first UTC day of the period to compare with')
    .option('--compared-to <day>', 'last UTC day of that period')
    .option(...limitOption)
    .option(...orgOption)
    .option('--json', 'print the data of GET /api/v1/costs/change')
    .addOption(new Option('--csv', 'print the answer as CSV').conflicts('json'))
    .addHelpText('after', help)
    .action((options: ChangeOptions) => withApp((app) => showChange(app, options)));
}

const help = `
VOLUME is more or fewer jobs, DURATION longer or shorter ones, PRICE other prices, and MIX other runners. They add up to CHANGE.

Examples:
  runcost costs change --days 7
  runcost costs change --from 2026-03-01 --to 2026-03-31 --compared-from 2026-02-01 --compared-to 2026-02-28
  runcost costs change --group-by repository,runner --filter branch=main
`;

async function showChange(app: App, options: ChangeOptions): Promise<void> {
  const ctx = await contextFor(app, options.org);
  const { plan } = await getOrganization(ctx);
  const question = await namingOptions(
    async () => readChangeQuestion(parametersOf(options), { clock: ctx.clock, plan }),
    {
      ...optionNames,
      '`compared_from`': '--compared-from',
      '`compared_to`': '--compared-to',
    },
  );
  const change = await getChange({ ...ctx, log: app.log }, question);
  if (options.json) return printJson(changeView(question, change));
  if (options.csv) return void process.stdout.write(changeCsv(question, change));
  console.log(sentenceOf(question, change));
  if (change.total.jobs > 0n || change.total.previousJobs > 0n) printChange(question, change);
}

function parametersOf({
  groupBy,
  filter,
  from,
  to,
  comparedFrom,
  comparedTo,
  ...options
}: ChangeOptions): ChangeParameters {
  return {
    ...options,
    ...filtersOf(filter),
    group_by: groupBy,
    from: from && readDay('--from', from),
    to: to && readDay('--to', to),
    compared_from: comparedFrom && readDay('--compared-from', comparedFrom),
    compared_to: comparedTo && readDay('--compared-to', comparedTo),
  };
}

function printChange(question: ChangeQuestion, change: CostChange): void {
  const { total, groups, other, period, previousPeriod } = change;
  const names = groupByNames(question);
  const rowOf = (texts: string[], status: string, figures: ChangeFigures) => [
    ...texts,
    ...(names.length > 0 ? [status] : []),
    dollars(figures.costNanos),
    dollars(figures.previousNanos),
    signedDollars(figures.changeNanos),
    changePercentText(figures.costNanos, figures.previousNanos),
    signedDollars(figures.volumeNanos),
    signedDollars(figures.durationNanos),
    signedDollars(figures.priceNanos),
    signedDollars(figures.mixNanos),
  ];
  const otherNames = (text: string) => names.map((_, index) => (index === 0 ? text : ''));
  console.log('');
  printTable(
    [
      ...names.map((name) => name.replace('_', ' ').toUpperCase()),
      ...(names.length > 0 ? ['STATUS'] : []),
      'COST',
      'BEFORE',
      'CHANGE',
      '%',
      'VOLUME',
      'DURATION',
      'PRICE',
      'MIX',
    ],
    [
      ...groups.map((group) => {
        const texts = group.values.map((value, index) => readableName(names[index]!, value, change));
        return rowOf(texts.map(oneLine), group.status === 'continued' ? '' : group.status, group);
      }),
      ...(other
        ? [
            rowOf(
              otherNames(`${formatCount(other.groups)} ${other.groups === 1 ? 'other' : 'others'}`),
              '',
              other,
            ),
          ]
        : []),
      rowOf(otherNames('total'), '', total),
    ],
  );
  printNote(
    `${period.start} to ${period.end}, compared with ${previousPeriod.start} to ${previousPeriod.end}.`,
  );
  printLeftOut(groups.length, groups.length + (other?.groups ?? 0), 'groups', maxLimit);
}

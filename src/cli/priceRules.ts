import { type Command, Option } from 'commander';
import { highestRate } from '../ledger/pricing/priceBook.ts';
import type { Providers } from '../ledger/pricing/provider.ts';
import { createRule, deleteRule, listRules, type RuleInput } from '../ledger/pricing/rules.ts';
import { ruleView } from '../ledger/pricing/views.ts';
import { invalid } from '../platform/lib/errors.ts';
import { formatNanos, toNanos } from '../platform/lib/money.ts';
import { type CommonOptions, contextFor, namingOptions, orgOption, withApp } from './command.ts';
import { printJson, printNote, printTable } from './output.ts';

export function addRules(price: Command): void {
  const rule = price.command('rule').description('list, add and delete the rules that map runners to prices');
  rule
    .command('list')
    .description('list the rules in the order in which they are tried')
    .option(...orgOption)
    .option('--json', 'print a JSON array')
    .action((options: CommonOptions) =>
      withApp('price rule list', async (app) => {
        const rules = await listRules(await contextFor(app, options.org));
        if (options.json) return printJson(rules.map(ruleView));
        if (rules.length === 0) return printNote('There are no rules. `price rule add` creates one.');
        printTable(
          ['RULE', 'ORDER', 'MATCHES', 'RUNNER', 'USD A MINUTE', 'ROUNDING'],
          rules.map((each) => [
            ...[each.id, String(each.position), `${each.match} ${each.pattern}`],
            each.runnerKind ?? each.name ?? '',
            each.nanosPerMinute === null ? 'as in the book' : formatNanos(each.nanosPerMinute),
            each.rounding ?? '',
          ]),
        );
      }),
    );
  addRuleAdd(rule);
  rule
    .command('delete')
    .description('delete a rule')
    .argument('<id>', 'id of the rule, as `price rule list` shows it')
    .option(...orgOption)
    .action((id: string, options: CommonOptions) =>
      withApp('price rule delete', async (app) => {
        await deleteRule(await contextFor(app, options.org), id);
        console.log(`${id} is deleted.`);
      }),
    );
}

type AddOptions = CommonOptions & {
  label?: string;
  regex?: string;
  group?: string;
  kind?: string;
  name?: string;
  rate?: string;
  rounding?: 'minute' | 'second';
  position?: string;
};

function addRuleAdd(rule: Command): void {
  rule
    .command('add')
    .description('add a rule: runners with a label or group are of a kind, or have a rate of their own')
    .option('--label <label>', 'a whole label, in any case')
    .option('--regex <pattern>', 'any part of a label')
    .option('--group <name>', 'the runner group')
    .option('--kind <kind>', 'kind of runner, as `price show` lists them')
    .option('--name <name>', 'what receipts call a rate of its own')
    .option('--rate <usd>', 'US dollars a minute')
    .addOption(new Option('--rounding <unit>', 'what time is rounded up to').choices(['minute', 'second']))
    .option('--position <number>', 'place among the rules, from 1; last by default')
    .option(...orgOption)
    .option('--json', 'print the rule as JSON')
    .action((options: AddOptions) =>
      withApp('price rule add', async (app) => {
        const input = readRuleOptions(options, app.providers);
        const ctx = await contextFor(app, options.org);
        const created = await namingOptions(() => createRule(ctx, input), optionsByField);
        if (options.json) return printJson(ruleView(created));
        console.log(created.id);
        printNote('It prices jobs that come from now on; `reprice` prices those recorded.');
      }),
    );
}

function readRuleOptions(options: AddOptions, providers: Providers): RuleInput {
  const { label, regex, group, kind, name, rate, rounding, position } = options;
  const matches = [
    ...(label === undefined ? [] : [{ match: 'label' as const, pattern: label }]),
    ...(regex === undefined ? [] : [{ match: 'regex' as const, pattern: regex }]),
    ...(group === undefined ? [] : [{ match: 'runner_group' as const, pattern: group }]),
  ];
  const [only, ...others] = matches;
  if (!only || others.length > 0) throw invalid('--label, --regex or --group', 'is required, and one only');
  if (only.pattern === '') throw invalid('--label, --regex or --group', 'must not be empty');
  const place = position === undefined ? undefined : Number(position);
  if (place !== undefined && (!Number.isInteger(place) || place < 1)) {
    throw invalid('--position', 'must be a number from 1');
  }
  return {
    ...only,
    runner_kind: kind === undefined ? null : readKind('--kind', kind, providers),
    name: name ?? null,
    usd_per_minute: rate === undefined ? null : readRateOption(rate),
    rounding: rounding ?? null,
    ...(place !== undefined && { position: place }),
  };
}

export function readKind(option: string, kind: string, { kindIds }: Providers): string {
  if (kindIds.includes(kind)) return kind;
  throw invalid(option, `knows no runner kind ${kind}; known are ${kindIds.join(', ')}`);
}

function readRateOption(text: string): number {
  const rate = Number(text);
  if (/^[\d.e-]+$/.test(text) && rate <= highestRate && toNanos(rate) !== null) return rate;
  throw invalid('--rate', `must be a number from 0 to ${highestRate}, with at most nine decimals`);
}

const optionsByField: Record<string, string> = {
  'body.pattern': 'the pattern',
  'body.usd_per_minute': '--rate',
  usd_per_minute: '--rate',
  'body.name': '--name',
  runner_kind: '--kind',
};

import { type Command, Option } from 'commander';
import { listRunnerKinds } from '../ledger/pricing/books.ts';
import { maxRate } from '../ledger/pricing/priceBook.ts';
import type { Providers } from '../ledger/pricing/provider.ts';
import { createRule, deleteRule, listRules, type Rule, type RuleInput } from '../ledger/pricing/rules.ts';
import { ruleView } from '../ledger/pricing/views.ts';
import { invalid } from '../platform/lib/errors.ts';
import { formatNanos, toNanos } from '../platform/lib/money.ts';
import { nearestOf } from '../platform/lib/text.ts';
import { type CommonOptions, contextFor, namingOptions, orgOption, readDay, withApp } from './command.ts';
import { printJson, printNote, printTable } from './output.ts';

export function addRules(price: Command): void {
  const rule = price.command('rule').description('list, add and delete the rules that map runners to prices');
  rule
    .command('list')
    .description('list the rules in the order they are tried')
    .option(...orgOption)
    .option('--json', 'print a JSON array')
    .action((options: CommonOptions) =>
      withApp(async (app) => {
        const rules = await listRules(await contextFor(app, options.org));
        if (options.json) return printJson(rules.map(ruleView));
        if (rules.length === 0) return printNote('No rules yet. `price rule add` adds one.');
        printTable(
          ['RULE', 'ORDER', 'MATCHES', 'RUNNER', 'USD PER MINUTE', 'ROUNDING'],
          rules.map((each) => [
            each.id,
            String(each.position),
            `${each.match} ${each.pattern}`,
            each.runnerKind ?? each.name ?? '',
            ratesText(each),
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
      withApp(async (app) => {
        await deleteRule(await contextFor(app, options.org), id);
        console.log(`Deleted ${id}.`);
      }),
    );
}

function ratesText({ nanosPerMinute, laterRates }: Rule): string {
  if (nanosPerMinute === null) return 'from the price list';
  const later = laterRates.map((rate) => `${formatNanos(rate.nanosPerMinute)} from ${rate.effectiveFrom}`);
  return [formatNanos(nanosPerMinute), ...later].join(', ');
}

export type RuleOptions = {
  label?: string;
  regex?: string;
  group?: string;
  kind?: string;
  rate?: string[];
  rounding?: 'minute' | 'second';
};

export function addRuleOptions(command: Command): Command {
  return command
    .option('--label <label>', 'matches a whole label, in any case')
    .option('--regex <pattern>', 'matches a part of a label')
    .option('--group <name>', 'matches the runner group')
    .option('--kind <kind>', 'runner kind, as `price kinds` lists them')
    .option(
      '--rate <usd>',
      'USD per minute; later rates as 2026-09-01=0.00125',
      (text: string, before: string[] | undefined) => [...(before ?? []), text],
    )
    .addOption(
      new Option('--rounding <unit>', 'round the time up to this unit').choices(['minute', 'second']),
    );
}

type AddOptions = CommonOptions & RuleOptions & { name?: string; position?: string };

function addRuleAdd(rule: Command): void {
  addRuleOptions(rule.command('add'))
    .description('add a rule that maps a label or runner group to a runner kind or a rate')
    .option('--name <name>', 'name of your own rate in receipts')
    .option('--position <number>', 'place among the rules, from 1; by default the last')
    .option(...orgOption)
    .option('--json', 'print the rule as JSON')
    .action((options: AddOptions) =>
      withApp(async (app) => {
        const input = { ...readRule(options, app.providers), name: options.name ?? null };
        const place = readPosition(options.position);
        const ctx = await contextFor(app, options.org);
        const placed = place === undefined ? input : { ...input, position: place };
        const created = await namingOptions(() => createRule(ctx, placed), optionsOf(''));
        if (options.json) return printJson(ruleView(created));
        console.log(created.id);
        const kind = (await listRunnerKinds(ctx)).find(({ kind: { id } }) => id === created.runnerKind);
        printNote(
          kind?.nanosPerMinute === null
            ? `The chosen price list has no price for ${created.runnerKind}, so these jobs are unpriced. Give a --rate, or add the price to a list of your own.`
            : 'It prices new jobs; `reprice run` updates recorded ones.',
        );
      }),
    );
}

export function readRule(options: RuleOptions, providers: Providers): RuleInput {
  const { label, regex, group, kind, rate, rounding } = options;
  const matches = [
    ...(label === undefined ? [] : [{ match: 'label' as const, pattern: label }]),
    ...(regex === undefined ? [] : [{ match: 'regex' as const, pattern: regex }]),
    ...(group === undefined ? [] : [{ match: 'runner_group' as const, pattern: group }]),
  ];
  const [only, ...others] = matches;
  if (!only || others.length > 0)
    throw invalid('--label, --regex or --group', 'is required: exactly one of them');
  if (only.pattern === '') throw invalid('--label, --regex or --group', 'must not be empty');
  return {
    ...only,
    runner_kind: kind === undefined ? null : readKind('--kind', kind, providers),
    ...readRates(rate ?? []),
    rounding: rounding ?? null,
  };
}

function readPosition(position: string | undefined): number | undefined {
  const place = position === undefined ? undefined : Number(position);
  if (place === undefined || (Number.isInteger(place) && place >= 1)) return place;
  throw invalid('--position', 'must be a number from 1');
}

export function readKind(option: string, kind: string, { kindIds }: Providers): string {
  if (kindIds.includes(kind)) return kind;
  const nearest = nearestOf(kind, kindIds);
  const meant = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  throw invalid(option, `must be a runner kind, not ${kind}.${meant} To list all: price kinds`);
}

function readRates(texts: readonly string[]): Pick<RuleInput, 'usd_per_minute' | 'later_rates'> {
  const [first, second] = texts.filter((text) => !text.includes('='));
  if (second !== undefined)
    throw invalid('--rate', `must have a first day from the second on, as in --rate 2026-09-01=${second}`);
  if (first === undefined && texts.length > 0)
    throw invalid(
      '--rate',
      `must also have one without a first day: the rate before ${texts[0]!.split('=')[0]}`,
    );
  const later = texts.filter((text) => text.includes('='));
  return {
    usd_per_minute: first === undefined ? null : readRateOption(first),
    later_rates: later.map((text) => {
      const [day, rate] = text.split('=') as [string, string];
      return { effective_from: readDay('--rate', day), usd_per_minute: readRateOption(rate) };
    }),
  };
}

function readRateOption(text: string): number {
  const rate = Number(text);
  if (/^[\d.e-]+$/.test(text) && rate <= maxRate && toNanos(rate) !== null) return rate;
  throw invalid('--rate', `must be a number from 0 to ${maxRate}, with at most nine decimals`);
}

export function optionsOf(path: string): Record<string, string> {
  return {
    [`${path}pattern`]: 'the pattern',
    [`${path}usd_per_minute`]: '--rate',
    usd_per_minute: '--rate',
    [`${path}later_rates`]: '--rate',
    '.effective_from': '',
    [`${path}name`]: '--name',
    [`${path}position`]: '--position',
    runner_kind: '--kind',
  };
}

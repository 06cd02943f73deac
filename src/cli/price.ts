import { Option, type Command } from 'commander';
import type { App } from '../app.ts';
import { getBook, listBooks } from '../ledger/pricing/books.ts';
import { maxRate } from '../ledger/pricing/priceBook.ts';
import type { Providers } from '../ledger/pricing/provider.ts';
import { createRule, deleteRule, inputOf, listRules, type RuleInput } from '../ledger/pricing/rules.ts';
import { runnerTitle } from '../ledger/pricing/runnerWords.ts';
import { getPricing, updatePricing } from '../ledger/pricing/settings.ts';
import { bookView, pricingView, ruleView } from '../ledger/pricing/views.ts';
import { switchPriceList } from '../ledger/repricing/endedList.ts';
import { whatIfView } from '../ledger/repricing/views.ts';
import { whatIf, type WhatIf, type WhatIfInput } from '../ledger/repricing/whatIf.ts';
import { invalid } from '../platform/lib/errors.ts';
import { formatNanos, toNanos, type Nanos } from '../platform/lib/money.ts';
import { getOrganization } from '../tenancy/organizations/organizations.ts';
import { contextFor, orgOption, withApp } from './openApp.ts';
import { namingOptions } from './options.ts';
import { printJson, printNote, printTable } from './output.ts';
import { formatCount } from './progress.ts';
import { followReprice, showReprice } from './reprice.ts';

type Common = { org?: string; json?: boolean };

export function addPriceCommands(program: Command): void {
  const price = program
    .command('price')
    .description('choose price books, map runners to prices, and preview other prices')
    .addHelpText('after', help);
  addBooks(price);
  addShow(price);
  addChoose(price);
  addSwitch(price);
  addWhatIf(price);
  addRules(price);
}

const help = `
Jobs keep the price that they were recorded with; \`runcost reprice\` changes that. \`price switch\` does both at once.

Examples:
  runcost price books
  runcost price switch
  runcost price what-if --book github_2026
  runcost price choose github_2026
  runcost price rule add --label big-box --kind linux_16_core
  runcost price rule add --regex '^depot-.*-8$' --name 'Depot 8' --rate 0.016 --rounding second
`;

function addBooks(price: Command): void {
  price
    .command('books')
    .description('list the price books')
    .option(...orgOption)
    .option('--json', 'print a JSON array')
    .action((options: Common) =>
      withApp('price books', async (app) => {
        const books = await listBooks(await contextFor(app, options.org));
        if (options.json) return printJson(books.map((book) => bookView(book, app.providers)));
        printTable(
          ['BOOK', 'NAME', 'CHOSEN', 'PRICES', 'BASED ON'],
          books.map(({ book, isChosen, basedOn }) => [
            ...[book.id, book.name, isChosen ? 'yes' : ''],
            formatCount(Object.values(book.prices).flat().length),
            basedOn ?? '',
          ]),
        );
      }),
    );
}

function addShow(price: Command): void {
  price
    .command('show')
    .description('show the prices of a book')
    .argument('<book>', 'id of the book, as `price books` shows it')
    .option(...orgOption)
    .option('--json', 'print the book as JSON')
    .action((id: string, options: Common) =>
      withApp('price show', async (app) => {
        const found = await getBook(await contextFor(app, options.org), id);
        if (options.json) return printJson(bookView(found, app.providers));
        printTable(
          ['RUNNER KIND', 'RUNNER', 'USD A MINUTE', 'FROM'],
          Object.entries(found.book.prices).flatMap(([kind, dated]) =>
            dated.map(({ effectiveFrom, nanosPerMinute }) => [
              kind,
              runnerTitle(kind, app.providers),
              formatNanos(nanosPerMinute),
              effectiveFrom,
            ]),
          ),
        );
      }),
    );
}

function addChoose(price: Command): void {
  price
    .command('choose')
    .description('price jobs that come from now on with this book')
    .argument('<book>', 'id of the book, as `price books` shows it')
    .option(...orgOption)
    .option('--json', 'print what is chosen as JSON')
    .action((id: string, options: Common) =>
      withApp('price choose', async (app) => {
        const ctx = await contextFor(app, options.org);
        // The argument's own error, before the field's.
        await getBook(ctx, id);
        const pricing = await updatePricing(ctx, { book_id: id });
        if (options.json) return printJson(pricingView(pricing));
        console.log(`Jobs are priced with ${pricing.book.book.name}.`);
        printNote('What is recorded keeps the price it has; `reprice` prices it anew.');
      }),
    );
}

function addSwitch(price: Command): void {
  price
    .command('switch')
    .description('replace a price list that has ended by the one that follows, and reprice the jobs since')
    .option(...orgOption)
    .option('--json', 'print the reprice as JSON')
    .action((options: Common) =>
      withApp('price switch', async (app) => {
        const ctx = await contextFor(app, options.org);
        const started = await switchPriceList(ctx);
        const { book } = await getPricing(ctx);
        if (!options.json) console.log(`Jobs are priced with ${book.book.name}.`);
        showReprice(await followReprice(app, ctx, started), options);
      }),
    );
}

type WhatIfOptions = Common & { book?: string; days: string; map: string[]; scenario?: 'self_hosted_fee' };

function addWhatIf(price: Command): void {
  price
    .command('what-if')
    .description('what the recorded jobs would cost with another book or one more rule; changes nothing')
    .option('--book <id>', 'price book; the chosen one by default')
    .option('--days <number>', 'today and the days before it, up to 90', '90')
    .option(
      '--map <label=kind>',
      'as if a rule gave the label this kind; may be repeated',
      (value: string, all: string[]) => [...all, value],
      [],
    )
    .addOption(
      new Option(
        '--scenario <name>',
        'self_hosted_fee: 0.002 a minute, as GitHub announced and postponed',
      ).choices(['self_hosted_fee']),
    )
    .option(...orgOption)
    .option('--json', 'print all of it as JSON')
    .action((options: WhatIfOptions) =>
      withApp('price what-if', async (app) => {
        const found = await previewOf(app, options);
        if (options.json) return printJson(whatIfView(found));
        printWhatIf(found);
      }),
    );
}

async function previewOf(app: App, options: WhatIfOptions): Promise<WhatIf> {
  const ctx = await contextFor(app, options.org);
  const days = Number(options.days);
  if (!Number.isInteger(days) || days < 1 || days > 90)
    throw invalid('--days', 'must be a number from 1 to 90');
  const { plan } = await getOrganization(ctx);
  if (options.book) await getBook(ctx, options.book);
  const mapped = options.map.map((text) => readMapping(text, app.providers));
  const input: WhatIfInput = {
    days,
    ...(options.book !== undefined && { book_id: options.book }),
    ...(mapped.length > 0 && {
      rules: [...mapped, ...(await listRules(ctx)).map((rule) => inputOf(rule, app.providers))],
    }),
    scenario: options.scenario ?? null,
  };
  return whatIf({ ...ctx, plan }, input);
}

function readMapping(text: string, providers: Providers): RuleInput {
  const at = text.lastIndexOf('=');
  const kind = text.slice(at + 1);
  if (at < 1) throw invalid('--map', 'must be a label and a runner kind, such as big-box=linux_16_core');
  return { match: 'label', pattern: text.slice(0, at), runner_kind: readKind('--map', kind, providers) };
}

function printWhatIf({ period, book, total, workflows, scenario }: WhatIf): void {
  const shown = workflows.slice(0, 30);
  const row = (name: string, sums: WhatIf['total']) => [
    name,
    dollars(sums.currentNanos),
    dollars(sums.thenNanos),
    dollars(sums.thenNanos - sums.currentNanos),
  ];
  printTable(
    ['WORKFLOW', 'NOW', 'THEN', 'CHANGE'],
    [
      ...shown.map((each) => row(`${each.repository} ${each.workflowName}`, each)),
      row(`All ${formatCount(workflows.length)} workflows`, total),
    ],
  );
  printNote(`${formatCount(total.jobs)} jobs from ${period.start} to ${period.end}, with ${book.name}.`);
  if (total.nowNanos !== total.currentNanos) {
    printNote(
      `They were recorded at ${dollars(total.nowNanos)}, with other prices than those of now: \`reprice run\` prices them anew.`,
    );
  }
  if (scenario) printNote('With the fee of 0.002 a minute for self-hosted runners that GitHub postponed.');
  if (total.unpricedMinutesThen > 0) {
    printNote(`${formatCount(total.unpricedMinutesThen)} minutes would have no price.`);
  }
}

function addRules(price: Command): void {
  const rule = price.command('rule').description('list, add and delete the rules that map runners to prices');
  rule
    .command('list')
    .description('list the rules in the order in which they are tried')
    .option(...orgOption)
    .option('--json', 'print a JSON array')
    .action((options: Common) =>
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
    .action((id: string, options: Common) =>
      withApp('price rule delete', async (app) => {
        await deleteRule(await contextFor(app, options.org), id);
        console.log(`${id} is deleted.`);
      }),
    );
}

type AddOptions = Common & {
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

function readKind(option: string, kind: string, { kindIds }: Providers): string {
  if (kindIds.includes(kind)) return kind;
  throw invalid(option, `knows no runner kind ${kind}; known are ${kindIds.join(', ')}`);
}

function readRateOption(text: string): number {
  const rate = Number(text);
  if (/^[\d.e-]+$/.test(text) && rate <= maxRate && toNanos(rate) !== null) return rate;
  throw invalid('--rate', `must be a number from 0 to ${maxRate}, with at most nine decimals`);
}

const optionsByField: Record<string, string> = {
  'body.pattern': 'the pattern',
  'body.usd_per_minute': '--rate',
  usd_per_minute: '--rate',
  'body.name': '--name',
  runner_kind: '--kind',
};

function dollars(nanos: Nanos): string {
  return nanos < 0n ? `-$${formatNanos(-nanos)}` : `$${formatNanos(nanos)}`;
}

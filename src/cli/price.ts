import { type Command, Option } from 'commander';
import type { App } from '../app.ts';
import { getBook, listBooks, listRunnerKinds } from '../ledger/pricing/books.ts';
import type { PriceBook } from '../ledger/pricing/priceBook.ts';
import { type Providers, successorOf } from '../ledger/pricing/provider.ts';
import { inputOf, listRules, type RuleInput } from '../ledger/pricing/rules.ts';
import { runnerTitle } from '../ledger/pricing/runnerWords.ts';
import { getPricing, updatePricing } from '../ledger/pricing/settings.ts';
import { bookView, pricingView, runnerKindView } from '../ledger/pricing/views.ts';
import { switchPriceList } from '../ledger/repricing/endedList.ts';
import { whatIfView } from '../ledger/repricing/views.ts';
import { whatIf, type WhatIf, type WhatIfInput } from '../ledger/repricing/whatIf.ts';
import { commandLine } from '../platform/lib/commandLine.ts';
import { dayOf } from '../platform/lib/days.ts';
import { invalid } from '../platform/lib/errors.ts';
import { formatNanos } from '../platform/lib/money.ts';
import { getOrganization } from '../tenancy/organizations/organizations.ts';
import { type CommonOptions, contextFor, namingOptions, orgOption, wholeNumber, withApp } from './command.ts';
import {
  dollars,
  formatCount,
  printJson,
  printLeftOut,
  printNote,
  printTable,
  signedDollars,
} from './output.ts';
import { addRuleOptions, addRules, optionsOf, readKind, readRule, type RuleOptions } from './priceRules.ts';
import { addTerms } from './priceTerms.ts';
import { followReprice, showReprice } from './reprice.ts';

export function addPriceCommands(program: Command): void {
  const price = program
    .command('price')
    .description('choose price lists, map runners to prices, and preview other prices')
    .addHelpText('after', help);
  addBooks(price);
  addShow(price);
  addKinds(price);
  addChoose(price);
  addSwitch(price);
  addTerms(price);
  addWhatIf(price);
  addRules(price);
}

const help = `
Recorded jobs keep their price until you run \`runcost reprice\`. \`price switch\` switches and reprices in one step.

Examples:
  runcost price books
  runcost price switch
  runcost price what-if --book github_2026
  runcost price what-if --regex '^gpu-' --rate 0.05
  runcost price choose github_2026
  runcost price rule add --label big-box --kind linux_16_core
  runcost price rule add --regex '^depot-.*-8$' --name 'Depot 8' --rate 0.016 --rounding second
`;

function addBooks(price: Command): void {
  price
    .command('books')
    .description('list the price lists')
    .option(...orgOption)
    .option('--json', 'print a JSON array')
    .action((options: CommonOptions) =>
      withApp(async (app) => {
        const books = await listBooks(await contextFor(app, options.org));
        if (options.json) return printJson(books.map((book) => bookView(book, app.providers)));
        printTable(
          ['BOOK', 'NAME', 'CHOSEN', 'PRICES', 'BASED ON'],
          books.map(({ book, isChosen, basedOn }) => [
            book.id,
            book.name,
            isChosen ? 'yes' : '',
            formatCount(Object.values(book.prices).flat().length),
            basedOn ?? '',
          ]),
        );
      }),
    );
}

function addKinds(price: Command): void {
  price
    .command('kinds')
    .description("list the runner kinds, with today's price in the chosen price list")
    .option(...orgOption)
    .option('--json', 'print a JSON array')
    .action((options: CommonOptions) =>
      withApp(async (app) => {
        const kinds = await listRunnerKinds(await contextFor(app, options.org));
        if (options.json) return printJson(kinds.map(runnerKindView));
        printTable(
          ['RUNNER KIND', 'RUNNER', 'USD PER MINUTE'],
          kinds.map(({ kind, nanosPerMinute }) => [
            kind.id,
            kind.title,
            nanosPerMinute === null ? 'no price' : formatNanos(nanosPerMinute),
          ]),
        );
      }),
    );
}

function addShow(price: Command): void {
  price
    .command('show')
    .description('show the prices of a price list')
    .argument('<book>', 'id of the price list, as `price books` shows it')
    .option(...orgOption)
    .option('--json', 'print the price list as JSON')
    .action((id: string, options: CommonOptions) =>
      withApp(async (app) => {
        const found = await getBook(await contextFor(app, options.org), id);
        if (options.json) return printJson(bookView(found, app.providers));
        printTable(
          ['RUNNER KIND', 'RUNNER', 'USD PER MINUTE', 'FROM'],
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
    .description('price new jobs with this list')
    .argument('<book>', 'id of the price list, as `price books` shows it')
    .option(...orgOption)
    .option('--json', 'print the pricing settings as JSON')
    .action((id: string, options: CommonOptions) =>
      withApp(async (app) => {
        const ctx = await contextFor(app, options.org);
        // An unknown price list is an error of the argument, not of a field.
        await getBook(ctx, id);
        const pricing = await updatePricing(ctx, { book_id: id });
        if (options.json) return printJson(pricingView(pricing));
        console.log(`Jobs are priced with ${pricing.book.book.name}.`);
        printEnded(app, pricing.book.book, options.org);
        printNote('Recorded jobs keep their price; `reprice run` changes it.');
      }),
    );
}

function printEnded({ clock, config, providers }: App, book: PriceBook, org: string | undefined): void {
  const next = successorOf(book, dayOf(clock.now()), providers);
  if (!next) return;
  printNote(
    `This list ended on ${book.end!.lastDay}. ${next.name} (${next.id}) follows it. To switch and reprice the jobs since: ` +
      `${commandLine(config)} price switch${org === undefined ? '' : ` --org ${org}`}`,
  );
}

function addSwitch(price: Command): void {
  price
    .command('switch')
    .description('switch from a price list that has ended to the next one, and reprice the jobs since')
    .option(...orgOption)
    .option('--json', 'print the reprice as JSON')
    .action((options: CommonOptions) =>
      withApp(async (app) => {
        const ctx = await contextFor(app, options.org);
        const started = await switchPriceList(ctx);
        const { book } = await getPricing(ctx);
        if (!options.json) console.log(`Jobs are priced with ${book.book.name}.`);
        showReprice(await followReprice(app, ctx, started), options);
      }),
    );
}

type WhatIfOptions = CommonOptions &
  RuleOptions & {
    book?: string;
    days: string;
    limit: number;
    map: string[];
    scenario?: 'self_hosted_fee';
  };

const maxLimit = 10_000;

function addWhatIf(price: Command): void {
  addRuleOptions(price.command('what-if'))
    .description('preview the cost of recorded jobs with another price list or more rules; changes nothing')
    .option('--book <id>', 'price list; the chosen one by default')
    .option('--days <number>', 'today and the days before it, up to 90', '90')
    .option(
      '--limit <count>',
      'workflows to show, 1 to 10,000, most expensive first',
      wholeNumber(1, maxLimit),
      30,
    )
    .option(
      '--map <label=kind>',
      'preview a rule that maps the label to this runner kind; repeatable',
      (value: string, all: string[]) => [...all, value],
      [],
    )
    .addOption(
      new Option(
        '--scenario <name>',
        'self_hosted_fee: 0.002 per minute, as GitHub announced and postponed',
      ).choices(['self_hosted_fee']),
    )
    .option(...orgOption)
    .option('--json', 'print everything as JSON')
    .action((options: WhatIfOptions) =>
      withApp(async (app) => {
        const found = await previewOf(app, options);
        if (options.json) return printJson(whatIfView(found));
        printWhatIf(found, options.limit);
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
  const rules = [
    ...(hasRule(options)
      ? [{ ...readRule(options, app.providers), ...(options.rate && { name: 'what-if' }) }]
      : []),
    ...options.map.map((text) => readMapping(text, app.providers)),
  ];
  const input: WhatIfInput = {
    days,
    ...(options.book !== undefined && { book_id: options.book }),
    ...(rules.length > 0 && {
      rules: [...rules, ...(await listRules(ctx)).map((rule) => inputOf(rule, app.providers))],
    }),
    scenario: options.scenario ?? null,
  };
  return namingOptions(() => whatIf({ ...ctx, plan }, input), optionsOf('rules[0].'));
}

function hasRule({ label, regex, group, kind, rate, rounding }: RuleOptions): boolean {
  return [label, regex, group, kind, rate, rounding].some((option) => option !== undefined);
}

function readMapping(text: string, providers: Providers): RuleInput {
  const at = text.lastIndexOf('=');
  const kind = text.slice(at + 1);
  if (at < 1) throw invalid('--map', 'must be a label and a runner kind, such as big-box=linux_16_core');
  return { match: 'label', pattern: text.slice(0, at), runner_kind: readKind('--map', kind, providers) };
}

function printWhatIf({ period, book, total, workflows, scenario }: WhatIf, limit: number): void {
  const shown = workflows.slice(0, limit);
  const row = (name: string, sums: WhatIf['total']) => [
    name,
    dollars(sums.currentNanos),
    dollars(sums.thenNanos),
    signedDollars(sums.thenNanos - sums.currentNanos),
  ];
  printTable(
    ['WORKFLOW', 'NOW', 'THEN', 'CHANGE'],
    [
      ...shown.map((each) => row(`${each.repository} ${each.workflowName}`, each)),
      row(`All ${formatCount(workflows.length)} workflows`, total),
    ],
  );
  printLeftOut(shown.length, workflows.length, 'workflows', maxLimit);
  printNote(`${formatCount(total.jobs)} jobs from ${period.start} to ${period.end}, with ${book.name}.`);
  if (total.nowNanos !== total.currentNanos) {
    printNote(
      `They were recorded at ${dollars(total.nowNanos)} with other prices than today's. \`reprice run\` ` +
        'updates them.',
    );
  }
  if (scenario) printNote("With GitHub's postponed fee of 0.002 per minute for self-hosted runners.");
  if (total.unpricedMinutesThen > 0) {
    printNote(`${formatCount(total.unpricedMinutesThen)} minutes would be unpriced.`);
  }
}

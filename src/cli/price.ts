import { Option, type Command } from 'commander';
import { signedDollars } from '../platform/lib/amountTexts.ts';
import { commandPrefix } from '../platform/lib/commandLine.ts';
import { CommandError } from './faults.ts';
import { collect } from './filters.ts';
import { formatCount, printLeftOut, printNote, printTable } from './output.ts';
import { addRuleOptions, hasRule, readKind, readRule, ruleCommands, ruleNamesAt } from './priceRules.ts';
import { followReprice, printReprice } from './reprice.ts';
import type { Answer, Input, Session } from './session.ts';
import { dollarsOf, nanosOf, printFields } from './tables.ts';
import { whole, wholeNumber, type Options, type TailoredGroup } from './verbCommand.ts';

async function choose(session: Session, _input: Input, { book }: Options): Promise<Answer> {
  // An unknown list is a fault of the argument, not of a field.
  await session.call('price-list get', { id: book });
  return session.call('price settings update', { book_id: book });
}

function printChosen({ book }: Answer, { org }: Options): void {
  console.log(`Jobs are priced with ${book.name}.`);
  if (book.last_day !== null && book.last_day < new Date().toISOString().slice(0, 10))
    printNote(
      `This list ended on ${book.last_day}. ${book.next_book_id} follows it. To switch and reprice the jobs since: ` +
        `${commandPrefix} price switch${org === undefined ? '' : ` --org ${org}`}`,
    );
  printNote('Recorded jobs keep their price; `reprice run` changes it.');
}

async function switchList(session: Session, input: Input, options: Options): Promise<Answer> {
  const started = await session.call('price switch', input);
  const { book } = await session.call('price settings get');
  if (!options.json) console.log(`Jobs are priced with ${book.name}.`);
  return followReprice(session, started);
}

/** The API answers no more. */
const maxWorkflows = 500;

const addWhatIfOptions = (command: Command): Command =>
  addRuleOptions(command)
    .option(
      '--map <label=kind>',
      'preview a rule that maps the label to this runner kind; repeatable',
      collect,
    )
    .option(
      '--limit <count>',
      'workflows to show, 1 to 500, most affected first',
      wholeNumber(1, maxWorkflows),
      30,
    );

function readMapping(text: string): Input {
  const at = text.lastIndexOf('=');
  if (at < 1)
    throw new CommandError('--map must be a label and a runner kind, such as big-box=linux_16_core', 'usage');
  return {
    match: 'label',
    pattern: text.slice(0, at),
    runner_kind: readKind('--map', text.slice(at + 1)),
  };
}

const ruleFields = ['match', 'pattern', 'runner_kind', 'name', 'usd_per_minute', 'later_rates', 'rounding'];

async function previewPrices(session: Session, input: Input, options: Options): Promise<Answer> {
  const tried = [
    ...(hasRule(options)
      ? [{ ...readRule(options), ...(options['rate'] !== undefined && { name: 'what-if' }) }]
      : []),
    ...((options['map'] ?? []) as string[]).map(readMapping),
  ];
  if (tried.length === 0) return session.call('price what-if', input);
  const current: Answer[] = await session.call('price rule list');
  const rules = current.map((rule) => Object.fromEntries(ruleFields.map((name) => [name, rule[name]])));
  return session.call('price what-if', { ...input, rules: [...tried, ...rules] });
}

function printPreview(
  { period, book, total, workflows, workflow_count: count, scenario }: Answer,
  options: Options,
): void {
  const shown: Answer[] = workflows.slice(0, options.limit);
  const row = (name: string, sums: Answer) => [
    name,
    dollarsOf(sums.cost_current),
    dollarsOf(sums.cost_then),
    signedDollars(nanosOf(sums.change)),
  ];
  printTable(
    ['WORKFLOW', 'NOW', 'THEN', 'CHANGE'],
    [
      ...shown.map((each) => row(`${each.repo_name} ${each.workflow_name}`, each)),
      row(`All ${formatCount(count)} workflows`, total),
    ],
  );
  printLeftOut(shown.length, count, 'workflows', maxWorkflows);
  printNote(`${formatCount(total.jobs)} jobs from ${period.start} to ${period.end}, with ${book.name}.`);
  if (nanosOf(total.cost_now) !== nanosOf(total.cost_current))
    printNote(
      `They were recorded at ${dollarsOf(total.cost_now)} with other prices than today's. \`reprice run\` updates them.`,
    );
  if (scenario) printNote("With GitHub's postponed fee of 0.002 per minute for self-hosted runners.");
  if (total.unpriced_minutes_then > 0)
    printNote(`${formatCount(total.unpriced_minutes_then)} minutes would be unpriced.`);
}

const addIncluded = (command: Command): Command =>
  command
    .addOption(
      new Option('--plan <name>', 'GitHub plan, which includes minutes')
        .choices(['free', 'pro', 'team', 'enterprise'])
        .conflicts('minutes'),
    )
    .addOption(
      new Option('--usd [dollars]', 'included dollars per month, or those of the plan').conflicts('minutes'),
    )
    .option('--minutes <count>', 'included minutes per month', wholeNumber(0, 1e9))
    .addOption(
      new Option('--draw <rule>', 'how other runners use included minutes').choices([
        'list_price_ratio',
        'legacy_multipliers',
        'open_source_program',
        'open_source_forks',
      ]),
    );

function readIncluded(input: Input, { plan, minutes, usd, draw }: Options): Input {
  if (plan === undefined && minutes === undefined && usd === undefined)
    return { ...input, included_minutes: null };
  const included = {
    ...(plan !== undefined && { github_plan: plan }),
    ...(minutes !== undefined && { minutes }),
    ...(usd !== undefined && { unit: 'usd' }),
    ...(typeof usd === 'string' && { usd: Number(usd) }),
    ...(draw !== undefined && { draw }),
  };
  return { ...input, included_minutes: included };
}

const termOptions = {
  effective_from: 'from',
  discount_percent: 'discount',
  usd_per_credit: 'usd-per-credit',
  included_ai_credits: 'ai-credits',
};

const termCommands: TailoredGroup = {
  'price terms list': {
    empty: 'No terms: nothing is included or discounted.',
  },
  'price terms set': {
    title: 'add terms, or replace those from the same day',
    options: termOptions,
    called: { included_minutes: '--plan' },
    without: ['included_minutes'],
    more: addIncluded,
    read: readIncluded,
    help: `Terms hold from their first day until the next terms of the same provider. Net cost is computed with them, also of
recorded jobs: what is left after free runners, included minutes and discounts.

Examples:
  runcost price terms set --plan team
  runcost price terms set --from 2026-01-01 --plan team --usd
  runcost price terms set --from 2026-07-01 --plan enterprise --discount 12.5
  runcost price terms set --provider circleci --usd-per-credit 0.0005`,
  },
  'price terms remove': {
    title: 'remove the terms from a day',
    options: termOptions,
    help: 'Example:\n  runcost price terms remove --from 2026-07-01',
  },
};

export const hostedRunnerCommands: TailoredGroup = {
  'hosted-runner list': {
    empty: 'No larger runners are known. `hosted-runner read` reads them from GitHub.',
    notes: ({ problems }) => problems.map(({ message }: Answer) => message),
  },
  'hosted-runner read': { print: printRead },
};

function priceableNotes({ runners, minutes, estimated_cost: cost, from, to }: Answer): string[] {
  const what = runners === 1 ? '1 runner now has' : `${formatCount(runners)} runners now have`;
  return [
    `${what} a price: ${formatCount(minutes)} minutes would cost ${dollarsOf(cost)}. To price them: ` +
      `${commandPrefix} reprice run --from ${from} --to ${to} --unpriced-only`,
  ];
}

function printIncluded(answer: Answer): void {
  printFields(answer);
  if (!answer.included_minutes)
    printNote('No plan is set, so nothing counts as included. To set yours: `price terms set --plan team`.');
}

function printRead({ runners, problems }: Answer): void {
  const count = runners.length;
  if (count === 0) printNote('No larger runners. Runcost asks for those of recorded runs and fetched bills.');
  else
    console.log(
      `${count === 1 ? '1 larger runner is' : `${formatCount(count)} larger runners are`} known. ` +
        '`hosted-runner list` shows them. `price unpriced` shows recorded jobs to price with them.',
    );
  for (const { message } of problems) printNote(message);
}

export const priceCommands: TailoredGroup = {
  'price-list list': { words: 'price books' },
  'price-list get': {
    words: 'price show',
    title: 'show the prices of a price list',
    options: { id: 'book' },
    json: whole,
  },
  'price-list create': { words: 'price create' },
  'price-list update': { words: 'price update', options: { id: 'book' } },
  'price-list delete': { words: 'price delete', options: { id: 'book' } },
  'price kind list': { words: 'price kinds' },
  'price included-minutes get': { print: printIncluded },
  'price choose': {
    verb: 'price settings update',
    title: 'price new jobs with this list',
    only: [],
    more: (command) => command.argument('<book>', 'id of the price list, as `price books` shows it'),
    run: choose,
    print: printChosen,
    help: 'Example:\n  runcost price choose github_by_date',
  },
  'price switch': { run: switchList, print: printReprice },
  'price what-if': {
    options: { book_id: 'book' },
    called: ruleNamesAt('rules[0].'),
    without: ['rules'],
    more: addWhatIfOptions,
    run: previewPrices,
    print: printPreview,
    help: `Examples:
  runcost price what-if --book github_2026
  runcost price what-if --regex '^gpu-' --rate 0.05`,
  },
  'price unpriced-runner list': {
    words: 'price unpriced',
    empty: 'All runners have a price.',
    notes: ({ priceable }) => (priceable ? priceableNotes(priceable) : []),
  },
  'price hint list': {
    notes: () => [
      'Nothing is priced with a hint before you accept it: `price hint accept <hint>`. `--json` shows the sources.',
    ],
  },
  'price hint accept': {
    print: ({ id, name }) => {
      console.log(id);
      printNote(`${name} is a rule now. It prices new jobs; \`reprice run\` updates recorded ones.`);
    },
  },
  ...ruleCommands,
  ...termCommands,
};

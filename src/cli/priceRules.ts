import { Option, type Command } from 'commander';
import { operationOf } from '../operations.ts';
import { nearestOf } from '../platform/lib/text.ts';
import { CommandError } from './faults.ts';
import { collect } from './filters.ts';
import { printNote, printTable } from './output.ts';
import type { Answer, Input, Session } from './session.ts';
import type { Options, TailoredGroup } from './verbCommand.ts';

const usage = (message: string): CommandError => new CommandError(message, 'usage');

export function addConditionOptions(command: Command): Command {
  return command
    .option('--label <label>', 'matches a whole label, in any case')
    .option('--regex <pattern>', 'matches a part of a label')
    .option('--group <name>', 'matches the runner group');
}

export function addRuleOptions(command: Command): Command {
  return addConditionOptions(command)
    .option('--kind <kind>', 'runner kind, as `price kinds` lists them')
    .option('--rate <usd>', 'USD per minute; later rates as 2026-09-01=0.00125', collect)
    .addOption(
      new Option('--rounding <unit>', 'round the time up to this unit').choices(['minute', 'second']),
    );
}

const conditions = { label: 'label', regex: 'regex', group: 'runner_group' } as const;
const anyCondition = '--label, --regex or --group';

/** How faults name the fields of a rule at a place, such as `rules[0].`. */
export function ruleNamesAt(place: string): Record<string, string> {
  return {
    [`${place}pattern`]: anyCondition,
    [`${place}runner_kind`]: '--kind',
    [`${place}usd_per_minute`]: '--rate',
    [`${place}later_rates`]: '--rate',
  };
}

export function hasRule(options: Options): boolean {
  return [...Object.keys(conditions), 'kind', 'rate', 'rounding'].some((name) => options[name] !== undefined);
}

export function readCondition(options: Options): Input {
  const given = Object.entries(conditions).filter(([name]) => options[name] !== undefined);
  const [only, ...others] = given;
  if (!only || others.length > 0) throw usage(`${anyCondition} is required: exactly one of them`);
  return { match: only[1], pattern: options[only[0]] };
}

export function readRule({ kind, rate, rounding, ...options }: Options): Input {
  return {
    ...readCondition(options),
    ...(kind !== undefined && { runner_kind: readKind('--kind', kind as string) }),
    ...(rate !== undefined && readRates(rate as string[])),
    ...(rounding !== undefined && { rounding }),
  };
}

/** The server's answer would list all kinds. */
export function readKind(option: string, kind: string): string {
  const { choices } = operationOf('price rule create').fields.find(({ name }) => name === 'runner_kind')!;
  if (choices!.includes(kind)) return kind;
  const nearest = nearestOf(kind, choices!);
  const meant = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  throw usage(`${option} must be a runner kind, not ${kind}.${meant} To list all: price kinds`);
}

function readRates(texts: readonly string[]): Input {
  const later = texts.filter((text) => text.includes('=')).map((text) => text.split('=') as [string, string]);
  const [first, second] = texts.filter((text) => !text.includes('='));
  if (second !== undefined)
    throw usage(`--rate must have a first day from the second on, as in --rate 2026-09-01=${second}`);
  if (first === undefined)
    throw usage(`--rate must also have one without a first day: the rate before ${later[0]![0]}`);
  return {
    usd_per_minute: readRate(first),
    later_rates: later.map(([day, rate]) => ({ effective_from: day, usd_per_minute: readRate(rate) })),
  };
}

function readRate(text: string): number {
  if (/^[\d.e-]+$/.test(text) && Number.isFinite(Number(text))) return Number(text);
  throw usage(`--rate must be a number of US dollars per minute, not "${text}"`);
}

async function create(session: Session, input: Input, options: Options): Promise<Answer> {
  const rule = await session.call('price rule create', { ...input, ...readRule(options) });
  if (options.json) return rule;
  const { runner_kinds: kinds } = await session.call('price kind list');
  const kind = kinds.find((each: Answer) => each.runner_kind === rule.runner_kind);
  printNote(
    kind?.usd_per_minute === null
      ? `The chosen price list has no price for ${rule.runner_kind}, so these jobs are unpriced. Give a --rate, or add the price to a list of your own.`
      : 'It prices new jobs; `reprice run` updates recorded ones.',
  );
  return rule;
}

function printRules(rules: Answer[]): void {
  if (rules.length === 0) return printNote('No rules yet. `price rule add` adds one.');
  printTable(
    ['RULE', 'ORDER', 'MATCHES', 'RUNNER', 'USD PER MINUTE', 'ROUNDING'],
    rules.map(({ id, position, match, pattern, rounding, ...rule }) => [
      id,
      String(position),
      `${match} ${pattern}`,
      rule.runner_kind ?? rule.name,
      ratesOf(rule),
      rounding ?? '',
    ]),
  );
}

function ratesOf({ usd_per_minute: rate, later_rates: later }: Answer): string {
  if (rate === null) return 'from the price list';
  return [rate, ...later.map((each: Answer) => `${each.usd_per_minute} from ${each.effective_from}`)].join(
    ', ',
  );
}

export const ruleCommands: TailoredGroup = {
  'price rule list': { print: printRules },
  'price rule create': {
    words: 'price rule add',
    called: ruleNamesAt(''),
    only: ['name', 'position'],
    more: addRuleOptions,
    run: create,
    print: ({ id }) => console.log(id),
    help: `Examples:
  runcost price rule add --label big-box --kind linux_16_core
  runcost price rule add --regex '^depot-.*-8$' --name 'Depot 8' --rate 0.016 --rounding second`,
  },
  'price rule update': { options: { runner_kind: 'kind', usd_per_minute: 'rate' } },
};

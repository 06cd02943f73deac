import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { exactDollars } from '../platform/lib/amountTexts.ts';
import { addDays } from '../platform/lib/days.ts';
import { CommandError } from './faults.ts';
import { formatCount, printNote, printTable } from './output.ts';
import { addConditionOptions, readCondition } from './priceRules.ts';
import type { Answer, Input, Session } from './session.ts';
import { dollarsOf, nanosOf } from './tables.ts';
import { wholeNumber, type Options, type TailoredGroup } from './verbCommand.ts';

const addPoolOptions = (command: Command): Command =>
  addConditionOptions(command)
    .option('--from <day>', 'first day of the price, UTC')
    .option('--until <day>', 'last day of the price, UTC; without it until further notice')
    .option(
      '--machines <count>',
      'how many there are; time in which none of them worked is idle',
      wholeNumber(1, 1e6),
    )
    .option('--monthly <usd>', 'what the whole pool costs in a month')
    .option('--hourly <usd>', 'what each machine costs per hour');

const called = {
  pattern: '--label, --regex or --group',
  'periods[0].first_day': '--from',
  'periods[0].last_day': '--until',
  'periods[0].machines': '--machines',
  'periods[0].monthly_usd': '--monthly or --machines',
  'periods[0].usd_per_hour': '--hourly',
};

function readPeriod({ from, until, machines, monthly, hourly }: Options): Input | null {
  if ([from, until, machines, monthly, hourly].every((value) => value === undefined)) return null;
  if (from === undefined) throw new CommandError('--from is required: the first day of the price', 'usage');
  return {
    first_day: from,
    ...(until !== undefined && { last_day: until }),
    ...(machines !== undefined && { machines }),
    ...(monthly !== undefined && { monthly_usd: readUsd('--monthly', monthly) }),
    ...(hourly !== undefined && { usd_per_hour: readUsd('--hourly', hourly) }),
  };
}

function readUsd(option: string, text: unknown): number {
  if (/^\d+(\.\d+)?$/.test(String(text))) return Number(text);
  throw new CommandError(`${option} must be a number of US dollars, not "${String(text)}"`, 'usage');
}

async function create(session: Session, input: Input, options: Options): Promise<Answer> {
  const period = readPeriod(options);
  const condition = readCondition(options);
  return session.call('runner-pool create', { ...input, ...condition, ...(period && { periods: [period] }) });
}

const conditions = ['label', 'regex', 'group'];

/** A new price ends the one before it, and replaces those that begin with it or later. */
async function update(session: Session, input: Input, options: Options): Promise<Answer> {
  const period = readPeriod(options);
  const changes = conditions.some((name) => options[name] !== undefined) ? readCondition(options) : {};
  if (!period) return session.call('runner-pool update', { ...input, ...changes });
  const pools: Answer[] = await session.call('runner-pool list');
  const known: Answer[] = pools.find(({ id }) => id === input['id'])?.periods ?? [];
  const first = String(period['first_day']);
  const before = known
    .filter((each) => each.first_day < first)
    .map((each) =>
      each.last_day === null || each.last_day >= first ? { ...each, last_day: addDays(first, -1) } : each,
    );
  return session.call('runner-pool update', { ...input, ...changes, periods: [period, ...before] });
}

function printPools(pools: Answer[]): void {
  if (pools.length === 0) return printNote('No pools yet. `runner-pool create` adds one.');
  printTable(
    ['POOL', 'NAME', 'MATCHES', 'PRICE', 'IMPORTED'],
    pools.map(({ id, name, match, pattern, periods, imported }) => [
      id,
      name,
      `${match} ${pattern}`,
      periods.map(priceOf).join('; ') || 'none',
      imported ? `${dollarsOf(imported.cost)}, ${imported.first_day} to ${imported.last_day}` : '',
    ]),
  );
}

function priceOf(period: Answer): string {
  const machines = period.machines === null ? '' : `${formatCount(period.machines)} machines`;
  const price =
    period.usd_per_hour !== null
      ? `${exactDollars(nanosOf(period.usd_per_hour))} an hour each`
      : period.monthly_usd !== null && `${dollarsOf(period.monthly_usd)} a month`;
  const days = period.last_day === null ? '' : ` to ${period.last_day}`;
  return `${[machines, price].filter(Boolean).join(', ')} from ${period.first_day}${days}`;
}

function readImport(input: Input, { file, dryRun }: Options): Input {
  try {
    return { ...input, csv: readFileSync(file === '-' ? 0 : String(file), 'utf8'), dry_run: dryRun === true };
  } catch (error) {
    throw new CommandError(`${String(file)} cannot be read: ${(error as Error).message}`, 'usage');
  }
}

function printImport({ dry_run: isDryRun, pools, other_lines: others }: Answer): void {
  if (pools.length > 0)
    printTable(
      ['NAME', 'FROM', 'TO', 'COST', 'CHANGED DAYS'],
      pools.map((pool: Answer) => [
        pool.name,
        pool.first_day,
        pool.last_day,
        dollarsOf(pool.cost),
        formatCount(pool.changed_days),
      ]),
    );
  if (others > 0) printNote(`${formatCount(others)} lines are about resources of no pool.`);
  if (isDryRun) printNote('Nothing was changed.');
}

const print = ({ id }: Answer): void => {
  console.log(id);
  printNote('See what it adds: costs --metric full_cost --group-by repository');
};

export const runnerPoolCommands: TailoredGroup = {
  'runner-pool list': { print: printPools },
  'runner-pool create': {
    only: ['name', 'resource_ids'],
    options: { resource_ids: 'resource' },
    called,
    more: addPoolOptions,
    run: create,
    print,
    help: `Examples:
  runcost runner-pool create --name 'Mac minis' --label mac-mini --from 2026-01-01 --machines 4 --hourly 0.12
  runcost runner-pool create --name Lab --group lab --from 2026-01-01 --monthly 900`,
  },
  'runner-pool update': {
    only: ['id', 'name', 'resource_ids'],
    options: { resource_ids: 'resource' },
    called,
    more: addPoolOptions,
    run: update,
    print,
    help: `A new price ends the one before it.

Example:
  runcost runner-pool update pool_3b7f1d9c5a2e8046b3f9 --from 2026-07-01 --monthly 400 --machines 5`,
  },
  'runner-pool import': {
    without: ['csv', 'dry_run'],
    more: (command) =>
      command
        .argument('<file>', 'CSV file with pool, month and cost_usd, or a FOCUS file; - for standard input')
        .option('--dry-run', 'only say what would change'),
    read: readImport,
    print: printImport,
    help: `Example:
  runcost runner-pool import pools.csv`,
  },
};

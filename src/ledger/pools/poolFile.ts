import { csvBatches, faultyLines, withoutApostrophes, type CsvLine } from '../../platform/lib/csvLines.ts';
import { dayOf, daysOf, isDay, monthAround, windowBetween, type Window } from '../../platform/lib/days.ts';
import { invalidAt, PublicError, type FieldError } from '../../platform/lib/errors.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { inTurns } from '../../platform/lib/turns.ts';
import { nanosOf, readDecimal } from '../bills/readLine.ts';
import { partOf } from './poolCost.ts';
import type { PoolDayRow } from './queries.ts';

type Named = { id: string; name: string; resourceIds: readonly string[] };

/** `others` are lines of a FOCUS file about resources of no pool. */
export type PoolFile = { lines: number; others: number; days: PoolDayRow[] };

type Column = 'pool' | 'month' | 'first_day' | 'last_day' | 'cost_usd' | keyof typeof focusColumns;

const ownColumns: readonly Column[] = ['pool', 'month', 'first_day', 'last_day', 'cost_usd'];

/** As FOCUS names them, in lower case: https://focus.finops.org, versions 1.0 to 1.4. */
const focusColumns = {
  chargeperiodstart: 'ChargePeriodStart',
  chargeperiodend: 'ChargePeriodEnd',
  effectivecost: 'EffectiveCost',
  billedcost: 'BilledCost',
  billingcurrency: 'BillingCurrency',
  resourceid: 'ResourceId',
  resourcename: 'ResourceName',
};

type Charge = { poolId: string; window: Window; costNanos: Nanos };
type Cells = (column: Column) => string;

const maxFaults = 1_000;
const maxPoolDays = 100_000;

/** What each pool cost by day. Amounts of several lines about a pool and day are added up. */
export async function readPoolFile(text: string, pools: readonly Named[]): Promise<PoolFile> {
  const poolOf = poolsByName(pools);
  const errors: FieldError[] = [];
  const charges = new Map<string, Charge>();
  let [read, lines, others, days]: [ReadLine | null, number, number, number] = [null, 0, 0, 0];
  for await (const batch of inTurns(csvBatches(text))) {
    for (const line of batch) {
      if (!read) {
        read = lineReader(line, poolOf);
        continue;
      }
      const found = read(line);
      if (found && 'faults' in found) errors.push(...found.faults);
      else if (!found) others++;
      else {
        lines++;
        const key = `${found.poolId} ${found.window.start} ${found.window.end}`;
        const same = charges.get(key);
        if (same) same.costNanos += found.costNanos;
        else days += charges.set(key, found).get(key)!.window.days;
      }
    }
    if (errors.length > maxFaults) break;
    if (days > maxPoolDays)
      throw invalidAt(
        '',
        `names more than ${maxPoolDays.toLocaleString('en-US')} days of pools; divide the file`,
      );
  }
  if (!read) throw invalidAt('line 1', `must be a heading with ${headingText}`);
  if (errors.length > 0) throw faultyLines(errors);
  return { lines, others, days: daysOfCharges([...charges.values()], pools) };
}

type ReadLine = (line: CsvLine) => Charge | { faults: FieldError[] } | null;

function lineReader(heading: CsvLine, poolOf: PoolOf): ReadLine {
  const places = readHeading(heading);
  const isFocus = places.has('chargeperiodstart');
  return ({ number, cells }) => {
    const cell: Cells = (column) => withoutApostrophes(cells[places.get(column) ?? -1] ?? '');
    try {
      if (cells.length !== heading.cells.length)
        throw invalidAt('', `has ${cells.length} cells, and the heading has ${heading.cells.length} columns`);
      return isFocus ? readFocus(cell, poolOf) : readOwn(cell, poolOf);
    } catch (error) {
      if (!(error instanceof PublicError)) throw error;
      const at = ({ path }: FieldError) => (path === '' ? `line ${number}` : `line ${number}, ${path}`);
      return { faults: error.errors.map((each) => ({ path: at(each), message: each.message })) };
    }
  };
}

const headingText =
  'the columns pool, cost_usd and month, or pool, cost_usd, first_day and last_day; or be that of a FOCUS file';

function readHeading({ number, cells }: CsvLine): ReadonlyMap<Column, number> {
  const places = new Map<Column, number>();
  for (const [index, cell] of cells.entries()) {
    const name = cell.toLowerCase() as Column;
    if (!ownColumns.includes(name) && !Object.hasOwn(focusColumns, name)) continue;
    if (places.has(name)) throw invalidAt(`line ${number}`, `has the column ${cell} twice`);
    places.set(name, index);
  }
  const has = (...names: Column[]) => names.every((name) => places.has(name));
  const isOwn = has('pool', 'cost_usd') && (has('month') || has('first_day'));
  const isFocus =
    has('chargeperiodstart', 'chargeperiodend') &&
    (has('effectivecost') || has('billedcost')) &&
    (has('resourceid') || has('resourcename'));
  if (!isOwn && !isFocus) throw invalidAt(`line ${number}`, `must be a heading with ${headingText}`);
  return places;
}

type PoolOf = (name: string) => string | undefined;

function poolsByName(pools: readonly Named[]): PoolOf {
  const ids = new Map<string, string>();
  for (const { id, name, resourceIds } of pools.toReversed())
    for (const each of [...resourceIds, name, id]) ids.set(each.toLowerCase(), id);
  return (name) => ids.get(name.toLowerCase());
}

function readOwn(cell: Cells, poolOf: PoolOf): Charge {
  const poolId = poolOf(cell('pool'));
  if (poolId === undefined)
    throw invalidAt('pool', `"${cell('pool').slice(0, 100)}" is no pool's name, id or resource`);
  return { poolId, window: ownWindow(cell), costNanos: readCost('cost_usd', cell('cost_usd')) };
}

function ownWindow(cell: Cells): Window {
  const [month, first] = [cell('month'), cell('first_day')];
  const last = cell('last_day') || first;
  if (month !== '') {
    if (first !== '') throw invalidAt('month', 'cannot be combined with first_day');
    if (!isDay(`${month}-01`)) throw invalidAt('month', 'must be a month such as 2026-01');
    const { start, end } = monthAround(`${month}-01`);
    return windowIn('month', start, end);
  }
  for (const [name, day] of [
    ['first_day', first],
    ['last_day', last],
  ] as const)
    if (!isDay(day)) throw invalidAt(name, 'must be a day such as 2026-01-31');
  return windowIn('last_day', first, last);
}

/** Null if the resource belongs to no pool. */
function readFocus(cell: Cells, poolOf: PoolOf): Charge | null {
  const poolId = poolOf(cell('resourceid')) ?? poolOf(cell('resourcename'));
  if (poolId === undefined) return null;
  const currency = cell('billingcurrency');
  if (currency !== '' && currency !== 'USD')
    throw invalidAt('BillingCurrency', `must be USD, not ${currency.slice(0, 20)}`);
  const [start, end] = (['chargeperiodstart', 'chargeperiodend'] as const).map((column) => {
    const time = timeOf(cell(column));
    if (Number.isNaN(time))
      throw invalidAt(focusColumns[column], 'must be a time such as 2026-01-31T00:00:00Z');
    return time;
  }) as [number, number];
  if (end <= start) throw invalidAt('ChargePeriodEnd', 'must be after ChargePeriodStart');
  const column = cell('effectivecost') === '' ? 'billedcost' : 'effectivecost';
  const costNanos = readCost(focusColumns[column], cell(column));
  // A period of FOCUS ends before its end.
  const window = windowIn('ChargePeriodEnd', dayOf(new Date(start)), dayOf(new Date(end - 1)));
  return { poolId, window, costNanos };
}

/** FOCUS has times in UTC. Some exports leave out the zone, and then it would be the server's. */
function timeOf(text: string): number {
  // Elsewhere 02/01/2026 is the first of February.
  if (!/^\d{4}-\d\d-\d\d/.test(text)) return NaN;
  return Date.parse(/^[\d-]+[ T][\d:.]+$/.test(text) ? `${text}Z` : text);
}

const [minDay, maxDay, maxDays] = ['2000-01-01', '2099-12-31', 366];

function windowIn(column: string, first: string, last: string): Window {
  if (first < minDay || last > maxDay) throw invalidAt(column, `must be from ${minDay} to ${maxDay}`);
  if (last < first) throw invalidAt(column, 'must not be before first_day');
  const window = windowBetween(first, last);
  if (window.days > maxDays) throw invalidAt(column, `must be at most ${maxDays} days after the first`);
  return window;
}

const maxNanos = 10n ** 17n;

/** Below zero for credits. */
function readCost(column: string, text: string): Nanos {
  const decimal = readDecimal(text);
  if (!decimal) throw invalidAt(column, `must be an amount in US dollars, not "${text.slice(0, 100)}"`);
  const { nanos } = nanosOf(decimal);
  if (nanos > maxNanos || nanos < -maxNanos)
    throw invalidAt(column, 'must be at most 100,000,000 US dollars');
  return nanos;
}

function daysOfCharges(charges: readonly Charge[], pools: readonly Named[]): PoolDayRow[] {
  const sums = new Map<string, PoolDayRow>();
  for (const { poolId, window, costNanos } of charges) {
    for (const day of daysOf(window)) {
      const key = `${day} ${poolId}`;
      const before = sums.get(key)?.costNanos ?? 0n;
      sums.set(key, { poolId, day, costNanos: before + partOf(costNanos, { ...window, day }) });
    }
  }
  const rows = [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  const faulty = rows.find(({ costNanos }) => costNanos < 0n || costNanos > maxNanos);
  if (faulty) {
    const { name } = pools.find(({ id }) => id === faulty.poolId)!;
    const fault =
      faulty.costNanos < 0n ? 'has more credits than costs' : 'costs more than 100,000,000 US dollars';
    throw invalidAt(`${name} on ${faulty.day}`, fault);
  }
  return rows;
}

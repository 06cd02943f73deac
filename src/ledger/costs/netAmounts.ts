import type { Day } from '../../platform/lib/days.ts';
import { fraction, type Fraction } from '../../platform/lib/fractions.ts';
import { bigintsAsText } from '../../platform/lib/money.ts';
import { chargeOf, isFreeRun, type Charge, type Deduction, type Deductions } from '../pricing/netCost.ts';
import type { Providers } from '../pricing/provider.ts';
import type { ColumnName } from './columns/dayColumns.queries.ts';
import type { Column } from './columns/dayColumns.ts';
import type { DayRows } from './columns/readDays.ts';
import type { RollupName } from './columns/rollups.queries.ts';
import { amountsOf, codedAmounts, createMemory, type Amounts, type Coded } from './columns/sumRows.ts';

// As in sumRows.ts, each step is one loop over arrays of numbers.

const chargeColumns = ['provider', 'runner', 'isPrivate', 'workflowPath'] as const satisfies ColumnName[];

/** Rollups know whether the runs are free. */
const summedColumns = ['provider', 'runner', 'isFree'] as const;

type Rows = { isSummed: boolean };

export function netColumnsOf(rows: Rows): readonly (ColumnName | RollupName)[] {
  return ['costNanos', 'workflowId', ...chargeColumnsOf(rows)];
}

export function chargeColumnsOf({ isSummed }: Rows): readonly (ColumnName | RollupName)[] {
  return isSummed ? summedColumns : chargeColumns;
}

/**
 * The net cost of each job of a day, or of alike jobs together. However jobs are grouped, the sums add up exactly to the
 * day's net cost. What a workflow gets depends only on sums by workflow, so jobs and rollups give it the same.
 */
export function netAmountsOf(day: DayRows, deductions: Deductions, providers: Providers): Amounts {
  const ofDay = deductions.get(day.day);
  if (!ofDay) return amountsOf(day, 'costNanos');
  const column = day.column('costNanos');
  const key = JSON.stringify([...ofDay], bigintsAsText);
  const known = knownSums.get(column);
  if (known?.key === key) return known.amounts;
  const { values, codes } = column;
  const workflows = day.column('workflowId');
  let costs: Coded = { values: values.map((value) => BigInt(value!)), codes };
  for (const [provider, deduction] of ofDay) {
    costs = withoutDeduction(costs, { workflows, charges: chargesOf(day, provider, providers) }, deduction);
  }
  const amounts = codedAmounts(costs);
  if (day.count) knownSums.set(column, { key, amounts });
  return amounts;
}

/** Net costs of rollups, which are small, by their list costs. */
const knownSums = new WeakMap<Column, { key: string; amounts: Amounts }>();

const everything = fraction(1n);

type WorkflowCharges = { workflows: Column; charges: Charges };

function withoutDeduction(
  costs: Coded,
  charging: WorkflowCharges,
  { covers, covered, discount }: Deduction,
): Coded {
  const charged = takeOff(costs, charging, ['free'], everything);
  const afterMinutes = takeOff(charged, charging, covers, covered);
  return takeOff(afterMinutes, charging, ['included', 'charged'], discount);
}

const classes = ['free', 'included', 'charged'] as const satisfies Charge['class'][];

/** For each row, its index in `classes`; -1 if the provider does not charge for the job. */
type Charges = Int8Array;

function chargesOf(day: DayRows, charging: string, providers: Providers): Charges {
  const isSummed = day.count !== null;
  const all = (isSummed ? summedColumns : chargeColumns).map(day.column);
  const sizes = all.map(({ values }) => values.length);
  const find = (place: number): number => {
    let rest = place;
    const decisive = [...all.keys()].toReversed().map((index) => {
      const code = rest % sizes[index]!;
      rest = (rest - code) / sizes[index]!;
      return all[index]!.values[code]!;
    });
    const [provider, runnerKind, ...decisiveFields] = decisive.toReversed() as [
      string,
      string | null,
      string | null,
    ];
    const isFree = isSummed
      ? decisiveFields[0] === 'true'
      : isFreeFor(provider, decisiveFields, day.day, providers);
    const charge = chargeOf({ provider, runnerKind, isFree }, providers);
    return charge?.provider === charging ? classes.indexOf(charge.class) : -1;
  };
  const known = createMemory(
    sizes.reduce((product, size) => product * size, 1),
    (place) => find(place) + 1,
  );
  const charges = new Int8Array(day.rows);
  for (let row = 0; row < charges.length; row++) {
    let place = 0;
    for (let index = 0; index < all.length; index++) place = place * sizes[index]! + all[index]!.codes[row]!;
    charges[row] = known(place) - 1;
  }
  return charges;
}

/** Whether this provider charges for a row's jobs as one of these classes. */
export function isOfClasses(
  day: DayRows,
  charging: string,
  wanted: readonly Charge['class'][],
  providers: Providers,
): (row: number) => boolean {
  const charges = chargesOf(day, charging, providers);
  const isWanted = classes.map((name) => wanted.includes(name));
  return (row) => charges[row]! >= 0 && isWanted[charges[row]!]!;
}

function isFreeFor(
  provider: string,
  [visibility, workflowPath]: readonly (string | null)[],
  day: Day,
  providers: Providers,
): boolean {
  const isPrivate = visibility === null ? null : visibility === 'private';
  return isFreeRun({ provider, isPrivate, workflowPath: workflowPath! }, day, providers);
}

/**
 * Deducts a portion from each row of these classes. Rounding remainders carry over by workflow and then by row, so the
 * result of a workflow depends only on the sums of the day's workflows.
 */
function takeOff(
  { values, codes }: Coded,
  { workflows, charges }: WorkflowCharges,
  wanted: readonly Charge['class'][],
  { part, whole }: Fraction,
): Coded {
  if (part === 0n) return { values, codes };
  const isWanted = classes.map((name) => wanted.includes(name));
  const portions = values.map((value) => (value * part) / whole);
  // Stays far below the largest exact integer, even with a billion minutes a day.
  const remainders = Float64Array.from(values, (value) => Number((value * part) % whole));
  const full = Number(whole);
  const left: bigint[] = [];
  const codeOf = createMemory(3 * values.length, (place) => {
    const value = values[Math.floor(place / 3)]!;
    const portion = portions[Math.floor(place / 3)]!;
    return left.push(place % 3 === 0 ? value : value - portion - BigInt((place % 3) - 1)) - 1;
  });
  const leftCodes = new Uint32Array(codes.length);
  /** For each workflow, the remainder that its next row inherits from the rows before. */
  const rests = new Float64Array(workflows.values.length);
  for (let row = 0; row < codes.length; row++) {
    if (charges[row]! >= 0 && isWanted[charges[row]!]) {
      const workflow = workflows.codes[row]!;
      rests[workflow] = (rests[workflow]! + remainders[codes[row]!]!) % full;
    }
  }
  let before = 0;
  for (const workflow of inOrder(workflows)) {
    const own = rests[workflow]!;
    rests[workflow] = before;
    before = (before + own) % full;
  }
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row]!;
    if (charges[row]! < 0 || !isWanted[charges[row]!]) {
      leftCodes[row] = codeOf(3 * code);
      continue;
    }
    const workflow = workflows.codes[row]!;
    const rest = rests[workflow]! + remainders[code]!;
    const isFull = rest >= full;
    rests[workflow] = isFull ? rest - full : rest;
    leftCodes[row] = codeOf(3 * code + (isFull ? 2 : 1));
  }
  return { values: left, codes: leftCodes };
}

function inOrder({ values }: Column): number[] {
  return [...values.keys()].toSorted((a, b) => (values[a]! < values[b]! ? -1 : 1));
}

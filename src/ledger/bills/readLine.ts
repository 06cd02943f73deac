import type { Day } from '../../platform/lib/days.ts';
import { divideHalfEven, magnitude, type Nanos } from '../../platform/lib/money.ts';
import type { Header } from './readLines.ts';
import { normalizeName, normalizeSku, normalizeWords } from './skus.ts';

/** Quantities are in billionths of the unit, amounts in nano-dollars. */
export type BillLine = {
  day: Day;
  product: string;
  sku: string;
  unit: string;
  /** In lower case. From its column or the repository's owner; '' if there is neither. */
  organization: string;
  /** `owner/name`, or only the name if the report has no owner, or ''. */
  repository: string;
  quantityNanos: bigint;
  /** Quantity times unit price. `grossNanos` is the same amount, rounded. */
  listNanos: Nanos;
  grossNanos: Nanos;
  discountNanos: Nanos;
  netNanos: Nanos;
  isRounded: boolean;
};

const maxKeyBytes = 2_000;
/** In dollars or minutes. Real lines of a day are far smaller. */
const highestAmount = 1_000_000n * 1_000_000_000n;
const halfACent = 5_000_000n;

/** How to read a report's dates. Dates after `latest` or outside `year` are errors. */
export type Dates = { order: DateOrder; latest: Day; year: { start: Day; end: Day } | null };

export function readLine(
  header: Header,
  cells: readonly string[],
  { order, latest, year }: Dates,
): BillLine | { fault: string } {
  if (cells.length !== header.columns) {
    return { fault: `has ${cells.length} cells; the heading has ${header.columns}` };
  }
  const cell = (column: keyof Header['at']): string => {
    const at = header.at[column];
    return at === undefined ? '' : cells[at]!.trim();
  };
  const day = readDay(cell('date'), order);
  if (!day) return { fault: `has the date ${quoted(cell('date'))}, which is not a day such as 2026-01-31` };
  if (day > latest) return { fault: `has the date ${quoted(cell('date'))}, which is in the future` };
  if (year && (day < year.start || day > year.end))
    return {
      fault: `has the date ${quoted(cell('date'))}, but the report covers ${year.start} to ${year.end}`,
    };
  const currency = cell('currency');
  if (!['', 'usd'].includes(currency.toLowerCase()))
    return { fault: `is in ${quoted(currency)}; only US dollars can be compared` };
  const names = readNames(cell);
  if ('fault' in names) return names;
  const amounts = readAmounts(header, cell);
  if ('fault' in amounts) return amounts;
  return { day, ...names, ...amounts };
}

type Cell = (column: keyof Header['at']) => string;
type Names = Pick<BillLine, 'product' | 'sku' | 'unit' | 'organization' | 'repository'>;

function readNames(cell: Cell): Names | { fault: string } {
  const sku = normalizeSku(cell('sku'));
  if (sku === '') return { fault: 'has no SKU' };
  const names = {
    product: normalizeName(cell('product')),
    sku,
    unit: unitOf(normalizeWords(cell('unit'))),
    organization: organizationOf(cell('organization'), cell('repository')).toLowerCase(),
    repository: repositoryOf(cell('organization'), cell('repository')),
  };
  const bytes = Object.values(names).reduce((sum, name) => sum + Buffer.byteLength(name), 0);
  return bytes > maxKeyBytes ? { fault: 'has names that are too long' } : names;
}

function unitOf(name: string): string {
  return name === 'minute' ? 'minutes' : name;
}

function organizationOf(organization: string, repository: string): string {
  return organization === '' && repository.includes('/')
    ? repository.slice(0, repository.indexOf('/'))
    : organization;
}

function repositoryOf(organization: string, repository: string): string {
  if (repository === '' || repository.includes('/') || organization === '') return repository;
  return `${organization}/${repository}`;
}

type Amounts = Omit<BillLine, keyof Names | 'day'>;

function readAmounts(header: Header, cell: Cell): Amounts | { fault: string } {
  let isRounded = false;
  let fault: string | null = null;
  const read = (column: 'quantity' | 'price' | 'gross' | 'discount' | 'net'): Decimal => {
    const text = cell(column);
    const decimal = readDecimal(text);
    if (!decimal) fault ??= `has the ${column} ${quoted(text)}, which is not a number`;
    else if (!isPossible(nanosOf(decimal).nanos))
      fault ??= `has the ${column} ${quoted(text)}, which is over a million`;
    return decimal ?? { digits: 0n, places: 0 };
  };
  const kept = (amount: Decimal): bigint => {
    const { nanos, isRounded: isCut } = nanosOf(amount);
    isRounded ||= isCut;
    return nanos;
  };
  const quantity = read('quantity');
  const quantityNanos = kept(quantity);
  if (header.format === 'legacy') {
    // The price includes the multiplier, and the report has no discounts.
    const gross = kept(productOf(quantity, read('price')));
    if (!isPossible(gross)) fault ??= 'costs over a million dollars';
    return fault
      ? { fault }
      : { quantityNanos, listNanos: gross, grossNanos: gross, discountNanos: 0n, netNanos: gross, isRounded };
  }
  const price = cell('price') === '' ? null : read('price');
  const [grossNanos, netNanos] = [kept(read('gross')), kept(read('net'))];
  const discountNanos = cell('discount') === '' ? grossNanos - netNanos : kept(read('discount'));
  if (fault) return { fault };
  const listed = price ? nanosOf(productOf(quantity, price)).nanos : null;
  const listNanos = listed !== null && isClose(listed, grossNanos) ? listed : grossNanos;
  return { quantityNanos, listNanos, grossNanos, discountNanos, netNanos, isRounded };
}

function isPossible(nanos: bigint): boolean {
  return magnitude(nanos) <= highestAmount;
}

function isClose(listed: Nanos, gross: Nanos): boolean {
  return magnitude(listed - gross) <= halfACent;
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}

export const dateOrders = ['mdy', 'dmy'] as const;
export type DateOrder = (typeof dateOrders)[number];

const slashes = /^(\d\d?)\/(\d\d?)\/(\d{4}|\d\d)$/;

/** The UTC day of `2026-01-31`, `2026-01-31T00:01:14Z`, or Excel's `01/31/2026` and `1/31/26`; else null. */
export function readDay(text: string, order: DateOrder): Day | null {
  const trimmed = text.trim();
  const [, year, month, date, time = ''] = /^(\d{4})-(\d\d?)-(\d\d?)(?:[T ](.+))?$/.exec(trimmed) ?? [];
  if (year) return /(z|[+-]\d\d:?\d\d)$/i.test(time) ? dayOfInstant(trimmed) : dayFrom(year, month!, date!);
  const [, first, second, ofYear] = slashes.exec(trimmed) ?? [];
  if (!ofYear) return null;
  const fullYear = ofYear.length === 2 ? `20${ofYear}` : ofYear;
  return order === 'mdy' ? dayFrom(fullYear, first!, second!) : dayFrom(fullYear, second!, first!);
}

/** The order that a date with slashes proves; `open` if both orders are possible, null if both give the same day. */
export function orderOf(text: string): DateOrder | 'open' | null {
  if (!slashes.test(text.trim())) return null;
  const [mdy, dmy] = [readDay(text, 'mdy'), readDay(text, 'dmy')];
  if (mdy === dmy) return null;
  if (mdy && dmy) return 'open';
  return mdy ? 'mdy' : 'dmy';
}

function dayFrom(year: string, month: string, date: string): Day | null {
  const day = `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`;
  const instant = new Date(Date.UTC(Number(year), Number(month) - 1, Number(date)));
  // February 30 would become March 2.
  const isReal = instant.getUTCMonth() + 1 === Number(month) && instant.getUTCDate() === Number(date);
  return isReal && isPlausible(day) ? day : null;
}

function dayOfInstant(text: string): Day | null {
  const instant = new Date(text.replace(' ', 'T'));
  if (Number.isNaN(instant.getTime())) return null;
  const day = instant.toISOString().slice(0, 10);
  return isPlausible(day) ? day : null;
}

/** GitHub started in 2008. */
function isPlausible(day: Day): boolean {
  return day >= '2008-01-01' && day < '2100-01-01';
}

type Decimal = { digits: bigint; places: number };

const form = /^([+-]?)\$?(\d{0,30})(?:\.(\d{0,60}))?(?:e([+-]?\d{1,2}))?$/i;

export function readDecimal(text: string): Decimal | null {
  const [, sign, whole = '', fraction = '', exponent = '0'] = form.exec(text.trim()) ?? [];
  if (sign === undefined || whole + fraction === '') return null;
  const digits = BigInt(whole + fraction);
  return { digits: sign === '-' ? -digits : digits, places: fraction.length - Number(exponent) };
}

export function productOf(a: Decimal, b: Decimal): Decimal {
  return { digits: a.digits * b.digits, places: a.places + b.places };
}

export function nanosOf({ digits, places }: Decimal): { nanos: Nanos; isRounded: boolean } {
  if (places <= 9) return { nanos: digits * 10n ** BigInt(9 - places), isRounded: false };
  const [size, divisor] = [magnitude(digits), 10n ** BigInt(places - 9)];
  const nanos = divideHalfEven(size, divisor);
  return { nanos: digits < 0n ? -nanos : nanos, isRounded: size % divisor !== 0n };
}

export function proportionOf(whole: bigint, part: bigint, of: bigint): bigint {
  const dividend = whole * part;
  const quotient = divideHalfEven(magnitude(dividend), of);
  return dividend < 0n ? -quotient : quotient;
}

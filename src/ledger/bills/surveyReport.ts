import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { Day } from '../../platform/lib/days.ts';
import { InvalidFields, PublicError, type FieldError, type NameOf } from '../../platform/lib/errors.ts';
import { orderOf, readDay, type DateOrder } from './readLine.ts';
import { isHeading, longestLine, readHeader, readLines, type CsvLine, type Header } from './readLines.ts';

export type Survey = {
  sha256: string;
  bytes: number;
  header: Header;
  days: Map<Day, number>;
  dateOrder: DateOrder | null;
  /** An ambiguous date, if neither the file nor the caller decides the order. */
  openDate: Found | null;
};

type Asked = { dateOrder: DateOrder | undefined; signal: AbortSignal | undefined };

/** Reads a file once and throws for faults that refuse all of it, such as two reports or a truncated end. */
export async function surveyReport(path: string, { dateOrder, signal }: Asked): Promise<Survey> {
  const hash = createHash('sha256');
  let bytes = 0;
  let endsInLine = false;
  const file = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      requireSender(signal);
      if (bytes === 0) refuseOtherFormats(chunk);
      hash.update(chunk);
      bytes += chunk.length;
      endsInLine = chunk.at(-1) !== 0x0a;
      yield chunk;
    }
  };
  let header: Header | null = null;
  let last: CsvLine | null = null;
  const days: Survey['days'] = new Map();
  const orders: Orders = {};
  for await (const lines of readLines(file())) {
    const body = header ? lines : lines.slice(1);
    header ??= headerOf(lines[0]!);
    last = body.at(-1) ?? last;
    for (const line of body) {
      if ('fault' in line) continue;
      const date = line.cells[header.at.date!] ?? '';
      const day = readDay(date, dateOrder ?? 'mdy');
      if (line.cells.length !== header.columns || !day) refuseHeading(line.number, line.cells);
      if (day) days.set(day, (days.get(day) ?? 0) + 1);
      const order = line.cells.length === header.columns ? orderOf(date) : null;
      if (order) orders[order] ??= { line: line.number, date };
    }
  }
  if (!header) throw unreadable('is empty');
  if (endsInLine && last) refuseShort(last, header);
  return { sha256: hash.digest('hex'), bytes, header, days, ...judgeOrder(orders, dateOrder) };
}

/** Checks the first line while a file arrives, to refuse another file before all of it has come. */
export function createHeadCheck(): (chunk: Buffer) => Promise<void> {
  let head: Buffer | null = Buffer.alloc(0);
  return async (chunk) => {
    if (!head) return;
    head = Buffer.concat([head, chunk]);
    const text = /\S/.exec(head.toString('latin1'));
    const hasLine = text !== null && head.includes('\n', text.index);
    if (!hasLine && head.length <= longestLine) return;
    refuseOtherFormats(head);
    for await (const [first] of readLines(Readable.from([head]))) {
      headerOf(first!);
      break;
    }
    head = null;
  };
}

function headerOf(first: CsvLine): Header {
  if ('fault' in first) {
    throw unreadable(`has a line ${first.number} that ${first.fault}; save it as CSV in UTF-8`);
  }
  const header = readHeader(first.cells);
  if ('fault' in header) throw unreadable(header.fault);
  return header;
}

const unpack = 'unpack it and import the CSV file inside';

const otherFormats: [start: number[], fault: string][] = [
  [[0x1f, 0x8b], `is compressed with gzip; ${unpack}`],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a], `is compressed with xz; ${unpack}`],
  [[0x42, 0x5a, 0x68], `is compressed with bzip2; ${unpack}`],
  [[0x28, 0xb5, 0x2f, 0xfd], `is compressed with Zstandard; ${unpack}`],
  [[0x37, 0x7a, 0xbc, 0xaf], `is a 7z archive; ${unpack}`],
  [[0x52, 0x61, 0x72, 0x21], `is a RAR archive; ${unpack}`],
  [[0x50, 0x4b, 0x03, 0x04], 'is a ZIP archive or an Excel workbook; unpack it, or save it as CSV in UTF-8'],
];

/** Which of the first four bytes of an ASCII heading are null, with or without a byte order mark. */
const otherEncodings: [nulls: RegExp, name: string][] = [
  [/^(x0x0|0x0x|xxx0|xx0x)$/, 'UTF-16'],
  [/^(x000|000x|xx00|00xx)$/, 'UTF-32'],
];

function refuseOtherFormats(chunk: Buffer): void {
  const format = otherFormats.find(([bytes]) => chunk.subarray(0, bytes.length).equals(Buffer.from(bytes)));
  if (format) throw unreadable(format[1]);
  const nulls = Array.from(chunk.subarray(0, 4), (byte) => (byte === 0 ? '0' : 'x')).join('');
  const encoding = otherEncodings.find(([form]) => form.test(nulls));
  if (encoding) throw unreadable(`is ${encoding[1]} text; save it as CSV in UTF-8`);
  if (chunk.includes('\r') && !chunk.includes('\n'))
    throw unreadable('ends its lines with carriage returns only; save it as CSV with line feeds');
}

/** Days between the two reports would seem covered, and days in both would count twice. */
function refuseHeading(number: number, cells: readonly string[]): void {
  if (!isHeading(cells)) return;
  throw refused(
    'two_reports',
    `holds two reports: line ${number} is a second heading; import each report as its own file`,
    (nameOf) => [{ path: nameOf(`line ${number}`), message: 'is a second heading' }],
  );
}

/** Cannot detect a file that was cut within the last cell. */
function refuseShort(line: CsvLine, header: Header): void {
  const isShort = 'fault' in line || line.cells.length < header.columns;
  if (!isShort) return;
  throw refused(
    'report_cut_off',
    `is cut off: the last line, ${line.number}, is incomplete; download the file again`,
    (nameOf) => [{ path: nameOf(`line ${line.number}`), message: 'is incomplete' }],
  );
}

type Found = { date: string; line: number };
type Orders = Partial<Record<DateOrder | 'open', Found>>;

const orderWords = { mdy: 'month/day', dmy: 'day/month' };

function judgeOrder(
  { mdy, dmy, open }: Orders,
  asked: DateOrder | undefined,
): Pick<Survey, 'dateOrder' | 'openDate'> {
  if (mdy && dmy) {
    throw refused(
      'date_orders_mixed',
      `has the date ${inLine(mdy)}, which is month/day, and ${inLine(dmy)}, which is day/month; ` +
        'download it again and import it unchanged',
      (nameOf) => [faultOf(mdy, 'month/day', nameOf), faultOf(dmy, 'day/month', nameOf)],
    );
  }
  const proven = mdy ? 'mdy' : 'dmy';
  const proof = mdy ?? dmy;
  if (proof && proven !== (asked ?? 'mdy')) {
    const order = orderWords[proven];
    throw refused(
      'date_order_mismatch',
      (nameOf) =>
        `has the date ${inLine(proof)}, which is ${order}; if all its dates are, set ${nameOf('date_order')} to ${proven}`,
      (nameOf) => [faultOf(proof, order, nameOf)],
    );
  }
  if (proof) return { dateOrder: proven, openDate: null };
  if (open) return { dateOrder: asked ?? null, openDate: asked ? null : open };
  return { dateOrder: null, openDate: null };
}

export function requireOrder({ openDate }: Pick<Survey, 'openDate'>): void {
  if (!openDate) return;
  const days = `${readDay(openDate.date, 'mdy')} or ${readDay(openDate.date, 'dmy')}`;
  throw refused(
    'date_order_required',
    (nameOf) =>
      `does not show whether its dates are month/day or day/month: ${inLine(openDate)} could be ${days}; ` +
      `set ${nameOf('date_order')} to mdy or dmy`,
    (nameOf) => [
      {
        path: nameOf('date_order'),
        message: 'is required for this file: mdy (month/day) or dmy (day/month)',
      },
      faultOf(openDate, days, nameOf),
    ],
  );
}

function inLine({ date, line }: Found): string {
  return `"${date}" in line ${line}`;
}

function faultOf({ date, line }: Found, is: string, nameOf: NameOf): FieldError {
  return { path: nameOf(`line ${line}`), message: `has the date "${date}", which is ${is}` };
}

export function unreadable(
  fault: string,
  lines: readonly { line: number; reason: string }[] = [],
): PublicError {
  return refused('no_usage_report', fault, (nameOf) => [
    { path: nameOf(''), message: fault },
    ...lines.map(({ line, reason }) => ({ path: nameOf(`line ${line}`), message: reason })),
  ]);
}

function refused(
  code: string,
  fault: string | ((nameOf: NameOf) => string),
  errorsOf: (nameOf: NameOf) => FieldError[],
): PublicError {
  return new InvalidFields(code, (nameOf) => ({
    message: `The file ${typeof fault === 'string' ? fault : fault(nameOf)}.`,
    errors: errorsOf(nameOf),
  }));
}

export function requireSender(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw senderLeft();
}

export function notUnpacked(): PublicError {
  return unreadable(
    'cannot be decompressed: it is damaged, or not in the encoding of the header Content-Encoding',
  );
}

/** Never shown, because the sender has left. */
export function senderLeft(): PublicError {
  return new PublicError('invalid', 'sender_left', 'The sender disconnected before the report was imported.');
}

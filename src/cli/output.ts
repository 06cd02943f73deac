import { styleText } from 'node:util';
import Table from 'cli-table3';
import { ConfigError } from '../config.ts';
import { PublicError } from '../platform/lib/errors.ts';
import { formatNanos, type Nanos } from '../platform/lib/money.ts';

export function printJson(value: unknown): void {
  console.log(JSON.stringify(value));
}

/** Without frames, so that `cut` and `grep` work. */
export function printTable(headings: string[], rows: string[][]): void {
  const none = { top: '', 'top-mid': '', 'top-left': '', 'top-right': '' };
  const frame = { ...none, bottom: '', 'bottom-mid': '', 'bottom-left': '', 'bottom-right': '' };
  const lines = {
    mid: '',
    'left-mid': '',
    'mid-mid': '',
    'right-mid': '',
    left: '',
    right: '',
    middle: '  ',
  };
  const table = new Table({
    head: headings.map((heading) => styleText('bold', heading, { stream: process.stdout })),
    chars: { ...frame, ...lines },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  // Names come from other people: no escape may reach the terminal.
  table.push(...rows.map((row) => row.map((cell) => cell.replaceAll(/\p{Cc}/gu, ' '))));
  console.log(table.toString());
}

const cents = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

export function dollarsAndCents(nanos: Nanos): string {
  return cents.format(formatNanos(nanos) as Intl.StringNumericLiteral);
}

export function printNote(text: string): void {
  console.error(text);
}

/** With a stack only for faults of ours. */
export function printError(error: unknown): void {
  const isExpected = error instanceof PublicError || error instanceof ConfigError;
  const text = isExpected
    ? (error as Error).message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error);
  console.error(`${styleText('red', 'error', { stream: process.stderr })} ${text}`);
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** All digits, for sums that must add up exactly. */
export function dollars(nanos: Nanos): string {
  return nanos < 0n ? `-$${formatNanos(-nanos)}` : `$${formatNanos(nanos)}`;
}

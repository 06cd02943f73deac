import { styleText } from 'node:util';
import Table from 'cli-table3';
import { ConfigError } from '../config.ts';
import { PublicError } from '../platform/lib/errors.ts';
import { CommandError } from './faults.ts';

export function printJson(value: unknown): void {
  console.log(JSON.stringify(value));
}

/** Prints no frames, so that `cut` and `grep` work. */
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
  table.push(...rows.map((row) => row.map(plain)));
  for (const line of table.toString().replaceAll(/ +$/gm, '').split('\n')) console.log(withoutCommands(line));
}

/** For texts from other people, because no escape sequence may reach the terminal. */
export function plain(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ');
}

/** The same for a text that may have line breaks. */
function onLines(text: string): string {
  return text.split('\n').map(plain).join('\n');
}

const lineWidth = 80;

/** Prints a text in lines that fit most terminals, without escape sequences of other people. */
export function printWrapped(text: string, indent: number): void {
  const lines = [''];
  for (const word of plain(text).split(' ')) {
    const line = lines.at(-1)!;
    if (line !== '' && indent + line.length + 1 + word.length > lineWidth) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  for (const line of lines) console.log(' '.repeat(indent) + withoutCommands(line));
}

/** CI systems read commands from logs: `::add-mask::` at a line's start, `##[error]`, `##vso[…]` anywhere. */
export function withoutCommands(text: string): string {
  return text.replaceAll(/##(?=[\w.]*\[)/g, '## ').replaceAll(/^(\s*):(?=:)/gm, '$1: ');
}

export function printNote(text: string): void {
  console.error(withoutCommands(onLines(text)));
}

export function errorPrefix(): string {
  return styleText('red', 'error:', { stream: process.stderr });
}

export function printError(error: unknown): void {
  const isExpected =
    error instanceof PublicError || error instanceof ConfigError || error instanceof CommandError;
  const text = isExpected
    ? (error as Error).message
    : error instanceof Error
      ? (error.stack ?? error.message)
      : String(error);
  console.error(withoutCommands(`${errorPrefix()} ${onLines(text)}`));
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

export function formatDuration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`;
}

export function printLeftOut(shown: number, total: number, unit: string, maxLimit: number): void {
  if (shown >= total) return;
  const left = `${formatCount(total - shown)} of ${formatCount(total)} ${unit} not shown.`;
  if (shown >= maxLimit) return printNote(left);
  const word = total > maxLimit ? 'more' : 'all';
  printNote(`${left} To see ${word}: --limit ${Math.min(total, maxLimit)}`);
}

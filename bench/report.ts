import { printTable } from '../src/cli/output.ts';
import { median } from './statistics.ts';

/** What a benchmark found. */
export type Report = { headings: string[]; rows: string[][]; notes: string[] };

export function printReport({ headings, rows, notes }: Report): void {
  console.log();
  printTable(headings, rows);
  console.log(notes.map((note) => `\n${note}`).join(''));
}

/** Says on standard error what is under way: a benchmark takes minutes. */
export function say(text: string): void {
  console.error(text);
}

/** A rate or count, rounded to three digits, which is more than a noisy machine repeats. */
export function rounded(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en-US');
}

/** What was measured side by side is compared side by side: the median of the rounds' ratios, and their range. */
export function ratioOf(values: readonly number[], others: readonly number[]): string {
  const ratios = values.map((value, round) => value / others[round]!);
  const [middle, lowest, highest] = [median(ratios), Math.min(...ratios), Math.max(...ratios)];
  return `${middle.toFixed(2)} (${lowest.toFixed(2)}–${highest.toFixed(2)})`;
}

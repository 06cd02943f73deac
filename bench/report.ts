import { printTable } from '../src/cli/output.ts';
import { median } from './statistics.ts';

export type Report = { headings: string[]; rows: string[][]; notes: string[] };

export function printReport({ headings, rows, notes }: Report): void {
  console.log();
  printTable(headings, rows);
  console.log(notes.map((note) => `\n${note}`).join(''));
}

/** Goes to standard error, because a benchmark takes minutes. */
export function logProgress(text: string): void {
  console.error(text);
}

/** Three digits are more than a noisy machine can repeat. */
export function rounded(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en-US');
}

/** The median of the rounds' ratios, and their range. Each round measured both sides, so it compares them. */
export function ratioOf(values: readonly number[], others: readonly number[]): string {
  const ratios = values.map((value, round) => value / others[round]!);
  const [middle, lowest, highest] = [median(ratios), Math.min(...ratios), Math.max(...ratios)];
  return `${middle.toFixed(2)} (${lowest.toFixed(2)}–${highest.toFixed(2)})`;
}

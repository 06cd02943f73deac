import { printTable } from '../src/cli/output.ts';
import { median } from './statistics.ts';

export type Report = { headings: string[]; rows: string[][]; notes: string[] };

export function printReport({ headings, rows, notes }: Report): void {
  console.log();
  printTable(headings, rows);
  console.log(notes.map((note) => `\n${note}`).join(''));
}

/** Prints to standard error, because a benchmark takes minutes. */
export function logProgress(text: string): void {
  console.error(text);
}

/** Noise makes more than three digits meaningless. */
export function rounded(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en-US');
}

/** The median and the range of the rounds' ratios. Each round measures both sides, so noise affects both. */
export function ratioOf(values: readonly number[], others: readonly number[]): string {
  const ratios = values.map((value, round) => value / others[round]!);
  const [middle, lowest, highest] = [median(ratios), Math.min(...ratios), Math.max(...ratios)];
  return `${middle.toFixed(2)} (${lowest.toFixed(2)}–${highest.toFixed(2)})`;
}

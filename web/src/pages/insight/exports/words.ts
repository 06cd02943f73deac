import type { DatasetName, Export, FormatName } from './queries.ts';

/** What the rows of a dataset are. */
export const datasetWords: Record<DatasetName, { title: string; about: string }> = {
  jobs: { title: 'Jobs', about: 'Each job that counts, with its run, runner, price and cost.' },
  runs: { title: 'Runs', about: 'Each run by the day it was created, with the cost of all its attempts.' },
  daily: { title: 'Daily costs', about: 'Each workflow by day: cost, jobs, minutes, runs.' },
  focus: { title: 'FOCUS 1.3', about: 'Each job as a charge, in the columns that FinOps tools read.' },
};

export const formatTitles: Record<FormatName, string> = {
  csv: 'CSV',
  jsonl: 'JSON lines',
  parquet: 'Parquet',
};

const sizes = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** `1.4 MB`; of a thousand each. */
export function sizeText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB'];
  const power = bytes === 0 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3));
  return `${sizes.format(bytes / 1_000 ** power)} ${units[power]}`;
}

/** The days that an export is of, the last one included; with times, where it is not of whole days. */
export function windowText({ from, to }: Pick<Export, 'from' | 'to'>): string {
  const isOfDays = [from, to].every((instant) => /T00:00:00(\.000)?Z$/.test(instant));
  if (!isOfDays) return `${[from, to].map((each) => each.slice(0, 16).replace('T', ' ')).join(' to ')} UTC`;
  const last = new Date(Date.parse(to) - 1).toISOString();
  const [first, end] = [from.slice(0, 10), last.slice(0, 10)];
  return first >= end ? first : `${first} to ${end}`;
}

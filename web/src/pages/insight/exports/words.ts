import { optionsOf } from '../../../ui/Choice.tsx';
import { longDay, timeText } from '../../../ui/figures.ts';
import type { DatasetName, Export, FocusVersion, FormatName, ScheduledExport } from './queries.ts';

export const datasetWords: Record<DatasetName, { title: string; about: string }> = {
  jobs: { title: 'Jobs', about: 'One row per job, with its run, runner, price and cost.' },
  runs: { title: 'Runs', about: 'One row per run, by creation day, with the cost of all its attempts.' },
  daily: { title: 'Daily costs', about: 'One row per workflow and day: cost, jobs, minutes and runs.' },
  focus: { title: 'FOCUS', about: 'One charge per job, in the columns that FinOps tools read.' },
  focus_invoice_detail: {
    title: 'FOCUS invoice details',
    about: 'What your bill reports say of each month, organization and SKU.',
  },
  focus_billing_period: {
    title: 'FOCUS billing periods',
    about: 'The months that your bill reports cover.',
  },
};

const versionTitles: Record<FocusVersion, string> = { '1.3': 'FOCUS 1.3', '1.4': 'FOCUS 1.4' };

export function titleOf({ dataset, version }: Pick<Export, 'dataset' | 'version'>): string {
  return dataset === 'focus' ? `FOCUS ${version}` : datasetWords[dataset].title;
}

export const versionField = {
  name: 'version',
  kind: 'choice',
  label: 'Version',
  options: optionsOf(versionTitles),
} as const;

type Versioned = { dataset: DatasetName; version?: FocusVersion | undefined };

/** Only costs come in two versions. */
export function withVersion<Values extends Versioned>({ version, ...values }: Values) {
  return { ...values, ...(values.dataset === 'focus' && version && { version }) };
}

export const formatTitles: Record<FormatName, string> = {
  csv: 'CSV',
  jsonl: 'JSON Lines',
  parquet: 'Parquet',
};

export const frequencyTitles: Record<ScheduledExport['frequency'], string> = {
  daily: 'Daily',
  weekly: 'Weekly',
  monthly: 'Monthly',
};

const sizes = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

export function sizeText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB'];
  const power = bytes === 0 ? 0 : Math.min(3, Math.floor(Math.log10(bytes) / 3));
  return `${sizes.format(bytes / 1_000 ** power)} ${units[power]}`;
}

/** The days of an export, both inclusive; with times if the window is not whole days. */
export function windowText({ from, to }: Pick<Export, 'from' | 'to'>): string {
  const isOfDays = [from, to].every((instant) => /T00:00:00(\.000)?Z$/.test(instant));
  if (!isOfDays) return [from, to].map((each) => timeText(new Date(each))).join(' to ');
  const last = new Date(Date.parse(to) - 1).toISOString();
  const [first, end] = [from.slice(0, 10), last.slice(0, 10)];
  return first >= end ? longDay(first) : `${longDay(first)} to ${longDay(end)}`;
}

import { say, type AuditedKind } from '../../tenancy/audit/words.ts';

const titles: Record<string, string> = {
  focus: 'FOCUS costs',
  'focus-1.4': 'FOCUS 1.4 costs',
  focus_invoice_detail: 'FOCUS invoice details',
  focus_billing_period: 'FOCUS billing periods',
  daily: 'daily costs',
  csv: 'CSV',
  jsonl: 'JSON Lines',
  parquet: 'Parquet',
};
const titleOf = (value: unknown) => titles[String(value)] ?? value;

export const exported = {
  title: 'Exports',
  words: {
    cancel: 'canceled an export',
    create: ({ dataset, format }) => say`created an export of ${titleOf(dataset)} as ${titleOf(format)}`,
  },
} satisfies AuditedKind;

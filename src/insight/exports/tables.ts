export const datasetNames = [
  'jobs',
  'runs',
  'daily',
  'focus',
  'focus_invoice_detail',
  'focus_billing_period',
] as const;
export type DatasetName = (typeof datasetNames)[number];

export const focusVersions = ['1.3', '1.4'] as const;
export type FocusVersion = (typeof focusVersions)[number];

/** `focus` is FOCUS 1.3. The name of a stored dataset is also part of its file's name. */
export type StoredDataset = DatasetName | 'focus-1.4';

export const formatNames = ['csv', 'jsonl', 'parquet'] as const;
export type FormatName = (typeof formatNames)[number];

export type ExportTables = {
  exportChunks: ExportChunksTable;
};

type ExportChunksTable = {
  orgId: string;
  exportId: string;
  number: number;
  startByte: bigint;
  bytes: Buffer;
  rowGroup: Buffer | null;
};

export const datasetNames = ['jobs', 'runs', 'daily', 'focus'] as const;
export type DatasetName = (typeof datasetNames)[number];

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

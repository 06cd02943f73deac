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

import type { FormatName, StoredDataset } from '../exports/tables.ts';
import type { Frequency } from './periods.ts';

export type ScheduledExportTables = {
  scheduledExports: ScheduledExportsTable;
};

type ScheduledExportsTable = {
  orgId: string;
  id: string;
  dataset: StoredDataset;
  format: FormatName;
  frequency: Frequency;
  endpoint: string;
  region: string;
  bucket: string;
  prefix: string;
  accessKeyId: string;
  /** Encrypted. */
  secretAccessKey: Buffer;
  pathStyle: boolean;
  enabled: boolean;
  /** The first day that has no upload yet. */
  nextStart: string;
  nextAt: Date;
  createdAt: Date;
  updatedAt: Date;
};

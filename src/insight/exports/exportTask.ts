import type { Task, TaskKind } from '../../platform/work/tasks.ts';

export const exportKind: TaskKind = { name: 'export', idPrefix: 'exp' };

export const datasetNames = ['jobs', 'runs', 'daily', 'focus'] as const;
export type DatasetName = (typeof datasetNames)[number];

export const formatNames = ['csv', 'jsonl', 'parquet'] as const;
export type FormatName = (typeof formatNames)[number];

/** What was asked for; `from` is included, `to` is not. Both are instants as text, as they are stored. */
export type ExportInput = { dataset: DatasetName; format: FormatName; from: string; to: string };

/** Where the last row that was written stands in the order of its dataset. */
export type Cursor = string[];

/** How far the file has been written: its rows first, then its digest, and then it is there to be fetched. */
export type ExportState = {
  phase: 'rows' | 'digest' | 'ready';
  cursor: Cursor | null;
  bytes: number;
  chunks: number;
  sha256?: string;
  expiresAt?: string;
};

export type Export = Task<ExportInput, ExportState>;

/** How long a file is kept. */
export const keptMilliseconds = 24 * 60 * 60 * 1_000;

export const firstState: ExportState = { phase: 'rows', cursor: null, bytes: 0, chunks: 0 };

/** When the file will be, or has been, removed; null where there is none to be fetched. */
export function expiryOf({ status, state }: Pick<Export, 'status' | 'state'>): Date | null {
  return status === 'done' && state.expiresAt ? new Date(state.expiresAt) : null;
}

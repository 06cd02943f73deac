import type { Context } from '../../context.ts';
import { historyDays, planWindow } from '../../ledger/runs/periods.ts';
import type { Plan } from '../../platform/lib/actor.ts';
import { addDays, dayOf, startOfDay } from '../../platform/lib/days.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { parseInstant } from '../../platform/lib/time.ts';
import type { Task, TaskKind } from '../../platform/work/tasks.ts';

/** What writing exports works with. */
export type ExportProgram = Pick<Context, 'db' | 'clock' | 'providers' | 'subscribers'> & {
  /** Where others reach the server. */
  publicUrl: () => string;
};

/** Who reads exports. */
export type ExportReader = Pick<Context, 'db' | 'actor' | 'clock'>;

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

/** `from` is included, `to` is not. */
type ExportWindow = { from: Date; to: Date };

type Asked = { dataset: DatasetName; from: string; to: string };

const form = 'must be a UTC day such as 2026-01-31, or an ISO 8601 date-time such as 2026-01-31T09:30:00Z';

/**
 * The window that was asked for. Of days the last one is included as well, of instants it is not. What lies before the
 * plan's history, or after today, is cut off without an error; without a plan nothing is.
 */
export function exportWindow(asked: Asked, now: Date, plan: Plan | null): ExportWindow {
  const from = readStart('body.from', asked.from);
  const to = readEnd('body.to', asked.to);
  if (from >= to) {
    throw invalid('body.to', 'must not lie before body.from: a day is included, an instant is not');
  }
  const window = plan === null ? { from, to } : cut({ from, to }, now, plan);
  if (asked.dataset === 'daily') {
    for (const [name, instant] of Object.entries(window)) {
      if (!isMidnight(instant))
        throw invalid(`body.${name}`, 'must be a UTC day, since daily rows are of days');
    }
  }
  return window;
}

function cut({ from, to }: ExportWindow, now: Date, plan: Plan): ExportWindow {
  const history = planWindow(now, plan, historyDays[plan]);
  const [first, end] = [startOfDay(history.start), startOfDay(addDays(history.end, 1))];
  if (from >= end) throw invalid('body.from', 'must not lie after today');
  const cutFrom = from < first ? first : from;
  const cutTo = to > end ? end : to;
  return { from: cutFrom, to: cutTo < cutFrom ? cutFrom : cutTo };
}

const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text);

function readStart(path: string, text: string): Date {
  const instant = isDay(text) ? startOfDay(text) : parseInstant(text);
  if (!instant || Number.isNaN(instant.getTime()) || (isDay(text) && dayOf(instant) !== text)) {
    throw invalid(path, form);
  }
  return instant;
}

function readEnd(path: string, text: string): Date {
  const start = readStart(path, text);
  return isDay(text) ? startOfDay(addDays(text, 1)) : start;
}

/** Whether an instant is where a UTC day begins and another ends. */
export function isMidnight(instant: Date): boolean {
  return startOfDay(dayOf(instant)).getTime() === instant.getTime();
}

/** `runcost-jobs-2026-03-01-to-2026-03-31.csv`: the last day is in it; of instants `2026-03-01T093000Z`. */
export function fileNameOf({ dataset, format, from, to }: ExportInput): string {
  const [start, end] = [new Date(from), new Date(to)];
  const ofDays = isMidnight(start) && isMidnight(end) && end > start;
  const bounds = ofDays ? [dayOf(start), addDays(dayOf(end), -1)] : [compact(start), compact(end)];
  return `runcost-${dataset}-${bounds.join('-to-')}.${format}`;
}

function compact(instant: Date): string {
  return instant.toISOString().replace(/\.\d+/, '').replaceAll(':', '');
}

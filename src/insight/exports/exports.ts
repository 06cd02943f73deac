import type { Context } from '../../context.ts';
import type { EventData } from '../../events/eventTypes.ts';
import type { Database } from '../../platform/db/database.ts';
import { taskView } from '../../platform/http/views.ts';
import type { Plan } from '../../platform/lib/actor.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import type { Page } from '../../platform/lib/page.ts';
import {
  addTask,
  cancelTask,
  countTasksUnderWay,
  getTask,
  listTasks,
  type Task,
  type TaskKind,
} from '../../platform/work/tasks.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { lockOrganization } from '../../tenancy/organizations/locks.ts';
import {
  type DatasetName,
  datasets,
  type ExportInput,
  exportWindow,
  fileNameOf,
  type FormatName,
  isMidnight,
} from './datasets.ts';
import { findChunk, findChunkAt } from './queries.ts';
import type { Cursor } from './rows.queries.ts';

/** What writing exports works with. */
export type ExportProgram = Pick<Context, 'db' | 'clock' | 'providers' | 'subscribers'> & {
  /** Where others reach the server. */
  publicUrl: () => string;
};

/** Who reads exports. */
export type ExportReader = Pick<Context, 'db' | 'actor' | 'clock'>;

export const exportKind: TaskKind = { name: 'export', idPrefix: 'exp' };

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

const firstState: ExportState = { phase: 'rows', cursor: null, bytes: 0, chunks: 0 };

/** `from` and `to` are UTC days, of which the last is included, or instants, of which it is not. */
export type ExportRequest = { dataset: DatasetName; format: FormatName; from: string; to: string };

/** An organization's exports that wait or are being written. */
export const mostAtOnce = 3;

/**
 * Asks for a file of the organization's rows in a window, cut to what the plan shows; all of it for null. Throws
 * `conflict` while too many are under way.
 */
export async function createExport(ctx: Context, request: ExportRequest, plan: Plan | null): Promise<Export> {
  const { db, actor, clock } = ctx;
  const { orgId } = actor;
  const { dataset, format } = request;
  const { from, to } = exportWindow(request, clock.now(), plan);
  const scope = { orgId, from, to };
  const isOfDays = isMidnight(from) && isMidnight(to);
  const total = isOfDays ? Number(await datasets[dataset].count(db, scope)) : undefined;
  const input: ExportInput = { dataset, format, from: from.toISOString(), to: to.toISOString() };
  return db.transaction().execute(async (tx) => {
    await lockOrganization(tx, orgId);
    if ((await countTasksUnderWay(tx, exportKind, orgId)) >= mostAtOnce) {
      const message = `${mostAtOnce} exports are under way. Wait for the end of one, or cancel it.`;
      throw new PublicError('conflict', 'too_many_exports', message);
    }
    const asked = { orgId, input, state: firstState, ...(total === undefined ? {} : { total }) };
    const created = await addTask<ExportInput, ExportState>(tx, clock, exportKind, asked);
    await recordAudit(tx, ctx, 'export.create', created.id, input);
    return created;
  });
}

export function getExport({ db, actor }: Pick<ExportReader, 'db' | 'actor'>, id: string): Promise<Export> {
  return getTask<ExportInput, ExportState>(db, exportKind, { orgId: actor.orgId, id });
}

/** A page of the organization's exports, newest first, and how many there are. */
export async function listExports(
  { db, actor }: ExportReader,
  page: Page,
): Promise<{ exports: Export[]; total: number }> {
  const asked = { orgId: actor.orgId, ...page };
  const { tasks, total } = await listTasks<ExportInput, ExportState>(db, exportKind, asked);
  return { exports: tasks, total };
}

/** Ends an export before its file is whole; what has been written of it is removed. */
export function cancelExport(ctx: Context, id: string): Promise<Export> {
  const { db, clock, actor } = ctx;
  return db.transaction().execute(async (tx) => {
    const key = { orgId: actor.orgId, id };
    const cancelled = await cancelTask<ExportInput, ExportState>(tx, clock, exportKind, key);
    await recordAudit(tx, ctx, 'export.cancel', id);
    return cancelled;
  });
}

/** The export if its file can be fetched now; throws what is in the way. */
export async function getReadyExport(ctx: ExportReader, id: string): Promise<Export & { sha256: string }> {
  const found = await getExport(ctx, id);
  const { status, state } = found;
  if (status === 'queued' || status === 'running') {
    const message = 'The file is not whole yet. Ask for the export until its status is done.';
    throw new PublicError('conflict', 'export_not_ready', message);
  }
  const expiresAt = expiryOf(found);
  if (!expiresAt || state.sha256 === undefined) {
    const message = `This export has no file: it was ${status === 'cancelled' ? 'cancelled' : 'not written to its end'}.`;
    throw new PublicError('not_found', 'export_has_no_file', message);
  }
  if (expiresAt <= ctx.clock.now()) {
    const message = `The file was kept until ${expiresAt.toISOString()}. Create the export again.`;
    throw new PublicError('not_found', 'export_expired', message);
  }
  return { ...found, sha256: state.sha256 };
}

/** When the file will be, or has been, removed; null where there is none to be fetched. */
function expiryOf({ status, state }: Pick<Export, 'status' | 'state'>): Date | null {
  return status === 'done' && state.expiresAt ? new Date(state.expiresAt) : null;
}

/** The bytes of an export's file from `first` to `last`, both included, a part at a time. */
export async function* readFile(
  db: Database,
  key: { orgId: string; id: string },
  { first, last }: { first: number; last: number },
): AsyncGenerator<Buffer> {
  if (last < first) return;
  const number = await findChunkAt(db, key, first);
  for (let next = number, at = first; at <= last; next!++) {
    const chunk = next === undefined ? undefined : await findChunk(db, key, next);
    if (!chunk) throw new Error(`the file of export ${key.id} has been removed`);
    const start = Number(chunk.startByte);
    const bytes = chunk.bytes.subarray(at - start, last - start + 1);
    at += bytes.length;
    yield bytes;
  }
}

type Download = { publicUrl: string; now: Date };

/** An export as the API shows it: with where its file is while it can be fetched. */
export function exportView(shown: Export, { publicUrl, now }: Download) {
  const { id, input, state } = shown;
  const expiresAt = expiryOf(shown);
  const canBeFetched = expiresAt !== null && expiresAt > now;
  return {
    id,
    dataset: input.dataset,
    format: input.format,
    from: new Date(input.from),
    to: new Date(input.to),
    rows: Number(shown.done),
    bytes: state.bytes,
    sha256: state.sha256 ?? null,
    file_name: fileNameOf(input),
    download_url: canBeFetched ? downloadUrl(publicUrl, id) : null,
    expires_at: expiresAt,
    ...taskView(shown),
  };
}

/** What the event says of a file that is ready. */
export function readyEvent(
  { id, input, state, done, createdAt }: Export,
  { sha256, expiresAt, publicUrl }: { sha256: string; expiresAt: Date; publicUrl: string },
): EventData['export.ready'] {
  return {
    export: {
      id,
      format: input.format,
      dataset: input.dataset,
      rows: Number(done),
      bytes: state.bytes,
      sha256,
      created_at: createdAt,
      expires_at: expiresAt,
      download_url: downloadUrl(publicUrl, id),
    },
  };
}

function downloadUrl(publicUrl: string, id: string): string {
  return `${publicUrl}/api/v1/exports/${id}/download`;
}

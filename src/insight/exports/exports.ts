import type { Context } from '../../context.ts';
import type { EventData } from '../../events/eventTypes.ts';
import type { Database } from '../../platform/db/database.ts';
import { taskView } from '../../platform/http/views.ts';
import type { Plan } from '../../platform/lib/actor.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import type { Page, Paged } from '../../platform/lib/lists.ts';
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
import { lockOrganization } from '../../tenancy/organizations/organizations.ts';
import {
  datasets,
  exportWindow,
  fileNameOf,
  isMidnight,
  type DatasetName,
  type ExportInput,
  type FocusVersion,
  type FormatName,
} from './datasets.ts';
import { findChunk, findChunkAt } from './queries.ts';
import type { Cursor } from './rows.queries.ts';
import { shownDataset, storedDataset } from './versions.ts';

export type ExportProgram = Pick<Context, 'db' | 'clock' | 'providers' | 'subscribers' | 'telemetry'> & {
  publicUrl: () => string;
};

export type ExportsContext = Pick<Context, 'db' | 'actor' | 'clock'>;

export const exportKind: TaskKind = { name: 'export', idPrefix: 'exp' };

export type ExportState = {
  phase: 'rows' | 'digest' | 'ready';
  cursor: Cursor | null;
  bytes: number;
  chunks: number;
  sha256?: string;
  expiresAt?: string;
};

export type Export = Task<ExportInput, ExportState>;

export const firstState: ExportState = { phase: 'rows', cursor: null, bytes: 0, chunks: 0 };

export type ExportRequest = {
  dataset: DatasetName;
  version?: FocusVersion | undefined;
  format: FormatName;
  from: string;
  to: string;
};

export const maxAtOnce = 3;

/** Limited to the plan's history unless `plan` is null. Throws `conflict` if too many exports are running. */
export async function createExport(ctx: Context, request: ExportRequest, plan: Plan | null): Promise<Export> {
  const { db, actor, clock } = ctx;
  const { orgId } = actor;
  const { format } = request;
  const dataset = storedDataset(request);
  const { from, to } = exportWindow({ ...request, dataset }, clock.now(), plan);
  const scope = { orgId, from, to };
  const isOfDays = isMidnight(from) && isMidnight(to);
  const total = isOfDays ? Number(await datasets[dataset].count(db, scope)) : undefined;
  const input: ExportInput = { dataset, format, from: from.toISOString(), to: to.toISOString() };
  return db.transaction().execute(async (tx) => {
    await lockOrganization(tx, orgId);
    if ((await countTasksUnderWay(tx, exportKind, orgId)) >= maxAtOnce) {
      const message = `${maxAtOnce} exports are running. Wait for one to end, or cancel one.`;
      throw new PublicError('conflict', 'too_many_exports', message);
    }
    const asked = { orgId, input, state: firstState, ...(total === undefined ? {} : { total }) };
    const created = await addTask<ExportInput, ExportState>(tx, clock, exportKind, asked);
    await recordAudit(tx, ctx, 'export.create', created.id, input);
    return created;
  });
}

export function getExport({ db, actor }: Pick<ExportsContext, 'db' | 'actor'>, id: string): Promise<Export> {
  return getTask<ExportInput, ExportState>(db, exportKind, { orgId: actor.orgId, id });
}

export function listExports({ db, actor }: ExportsContext, page: Page): Promise<Paged<Export>> {
  return listTasks<ExportInput, ExportState>(db, exportKind, { orgId: actor.orgId, ...page });
}

export function cancelExport(ctx: Context, id: string): Promise<Export> {
  const { db, clock, actor } = ctx;
  return db.transaction().execute(async (tx) => {
    const key = { orgId: actor.orgId, id };
    const cancelled = await cancelTask<ExportInput, ExportState>(tx, clock, exportKind, key);
    await recordAudit(tx, ctx, 'export.cancel', id);
    return cancelled;
  });
}

export async function getReadyExport(ctx: ExportsContext, id: string): Promise<Export & { sha256: string }> {
  const found = await getExport(ctx, id);
  const { status, state } = found;
  if (status === 'queued' || status === 'running') {
    const message =
      'The file is not complete yet. Repeat the request for the export until its status is done.';
    throw new PublicError('conflict', 'export_not_ready', message);
  }
  const expiresAt = expiryOf(found);
  if (!expiresAt || state.sha256 === undefined) {
    const message = `This export has no file: it was ${status === 'cancelled' ? 'cancelled' : 'not completed'}.`;
    throw new PublicError('not_found', 'export_has_no_file', message);
  }
  if (expiresAt <= ctx.clock.now()) {
    const message = `The file was kept until ${expiresAt.toISOString()}. Create the export again.`;
    throw new PublicError('not_found', 'export_expired', message);
  }
  return { ...found, sha256: state.sha256 };
}

function expiryOf({ status, state }: Pick<Export, 'status' | 'state'>): Date | null {
  return status === 'done' && state.expiresAt ? new Date(state.expiresAt) : null;
}

/** `first` and `last` are inclusive. */
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

export function exportView(shown: Export, { publicUrl, now }: Download) {
  const { id, input, state } = shown;
  const expiresAt = expiryOf(shown);
  const canBeFetched = expiresAt !== null && expiresAt > now;
  return {
    id,
    ...shownDataset(input.dataset),
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

export function readyEvent(
  { id, input, state, done, createdAt }: Export,
  { sha256, expiresAt, publicUrl }: { sha256: string; expiresAt: Date; publicUrl: string },
): EventData['export.ready'] {
  return {
    export: {
      id,
      format: input.format,
      dataset: shownDataset(input.dataset).dataset,
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

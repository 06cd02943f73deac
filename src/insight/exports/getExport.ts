import type { Context } from '../../context.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import type { Page } from '../../platform/lib/page.ts';
import { cancelTask, getTask, listTasks } from '../../platform/work/tasks.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import type { ExportReader } from './context.ts';
import { expiryOf, exportKind, type Export, type ExportInput, type ExportState } from './exportTask.ts';

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

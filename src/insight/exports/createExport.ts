import type { Context } from '../../context.ts';
import type { Plan } from '../../platform/lib/actor.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { addTask, countTasksUnderWay } from '../../platform/work/tasks.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { lockOrganization } from '../../tenancy/organizations/locks.ts';
import { datasets } from './datasets.ts';
import {
  exportKind,
  firstState,
  type DatasetName,
  type Export,
  type ExportInput,
  type ExportState,
  type FormatName,
} from './exportTask.ts';
import { exportWindow, isMidnight } from './exportWindow.ts';

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

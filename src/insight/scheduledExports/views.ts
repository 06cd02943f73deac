import type { Context } from '../../context.ts';
import { taskView } from '../../platform/http/views.ts';
import { getOrganization } from '../../tenancy/organizations/organizations.ts';
import { periodFrom } from './periods.ts';
import { namedByTheApi, type ScheduledExport } from './scheduledExports.ts';
import type { Upload } from './uploads.ts';

export async function scheduledExportView({ db }: Pick<Context, 'db'>, row: ScheduledExport) {
  const { calendar } = await getOrganization({ db, actor: row });
  return {
    id: row.id,
    ...namedByTheApi(row),
    next_period: row.enabled ? periodFrom(row.nextStart, row.frequency, calendar.weekStart) : null,
    next_at: row.enabled ? row.nextAt : null,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}

export function uploadView(upload: Upload) {
  const { id, input, state, done, status, dueAt } = upload;
  const isWaiting = (status === 'queued' || status === 'running') && (state.failures ?? 0) > 0;
  return {
    id,
    scheduled_export_id: input.scheduledId,
    dataset: input.dataset,
    format: input.format,
    period: input.period,
    file_name: input.fileName,
    location: state.location ?? null,
    rows: Number(done),
    bytes: state.bytes,
    failures: state.failures ?? 0,
    next_attempt_at: isWaiting ? dueAt : null,
    ...taskView(upload),
  };
}

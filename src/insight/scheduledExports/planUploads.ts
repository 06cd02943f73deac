import type { Program } from '../../context.ts';
import type { Plan } from '../../platform/lib/actor.ts';
import { addDays, type Day } from '../../platform/lib/days.ts';
import { prunePoller, taskPoller } from '../../platform/work/tasks.ts';
import type { Poller } from '../../platform/work/worker.ts';
import { getOrganization } from '../../tenancy/organizations/organizations.ts';
import { exportWindow, fileNameOf, type ExportInput } from '../exports/datasets.ts';
import { keptDays } from '../exports/writeExport.ts';
import { dueAt, periodFrom } from './periods.ts';
import { claimDueScheduledExport, scheduledRows } from './queries.ts';
import { addUpload, doUpload, uploadKind } from './uploads.ts';

/** At most one per organization. */
const uploadsAtOnce = 4;

export function scheduledExportPollers(program: Program): Poller[] {
  return [
    { name: 'plan export uploads', everyMilliseconds: 60_000, run: () => planUpload(program) },
    ...Array.from({ length: uploadsAtOnce }, () => taskPoller(program, uploadKind, doUpload(program))),
    prunePoller(program, 'forget export uploads', uploadKind, keptDays),
  ];
}

/** In one transaction with the move to the next period, so none is lost or planned twice. */
async function planUpload({ db, clock }: Program): Promise<boolean> {
  const now = clock.now();
  return db.transaction().execute(async (tx) => {
    const row = await claimDueScheduledExport(tx, now);
    if (!row) return false;
    const { orgId, id, dataset, format, frequency, nextStart } = row;
    const { calendar, plan } = await getOrganization({ db: tx, actor: { orgId } });
    const period = periodFrom(nextStart, frequency, calendar.weekStart);
    const next = (start: Day) =>
      scheduledRows.change(tx, row, {
        nextStart: start,
        nextAt: dueAt(periodFrom(start, frequency, calendar.weekStart)),
      });
    if (dueAt(period) <= now) {
      const asked = { dataset, format, from: period.start, to: period.end };
      await addUpload(tx, { clock }, orgId, {
        scheduledId: id,
        period,
        fileName: fileNameOf(inputOf(asked, now, null)),
        ...inputOf(asked, now, plan),
      });
      await next(addDays(period.end, 1));
    } else {
      // The first weekday of the organization has changed.
      await next(nextStart);
    }
    return true;
  });
}

function inputOf(asked: ExportInput, now: Date, plan: Plan | null): ExportInput {
  const { from, to } = exportWindow(asked, now, plan);
  const { dataset, format } = asked;
  return { dataset, format, from: from.toISOString(), to: to.toISOString() };
}

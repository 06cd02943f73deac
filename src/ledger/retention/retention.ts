import type { Context } from '../../context.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { taskView } from '../../platform/http/views.ts';
import type { Plan } from '../../platform/lib/actor.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { addDays, dayOf, minRetentionDays, type Day } from '../../platform/lib/days.ts';
import { invalid } from '../../platform/lib/errors.ts';
import type { DaysByPlan } from '../../platform/lib/settingTexts.ts';
import type { Clock } from '../../platform/lib/time.ts';
import {
  addTask,
  countTasksUnderWay,
  listTasks,
  type Task,
  type TaskKind,
} from '../../platform/work/tasks.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import {
  changeDetailsFrom,
  getOrganization,
  lockOrganization,
  type Organization,
  type Retention,
} from '../../tenancy/organizations/organizations.ts';
import { countRunsBefore, hasRunsBefore } from '../runs/removal.ts';

export const removalKind: TaskKind = { name: 'removal', idPrefix: 'removal' };

/** `formerFrom` is the first day with all runs if the removal ends before it removes anything. */
export type RemovalInput = { before: Day; formerFrom: Day | null };

export type RemovalState = { jobs: number; lastDay: Day | null };

type Removal = Task<RemovalInput, RemovalState>;

export type RetentionLimit = { retentionDays: DaysByPlan; retentionExportDir: string | null };

type ReadContext = Pick<Context, 'db' | 'clock'> & { actor: Pick<Context['actor'], 'orgId'> };

export type RetentionState = Retention & {
  maxDays: number | null;
  days: number | null;
  /** Null means that everything is kept. */
  firstKept: Day | null;
  runsToRemove: number;
  isExported: boolean;
  removal: Removal | null;
};

type Asked = { days?: number | undefined; plan?: Plan | undefined };

export async function getRetention(
  { db, actor, clock }: ReadContext,
  { retentionDays, retentionExportDir }: RetentionLimit,
  { days: asked, plan: askedPlan }: Asked = {},
): Promise<RetentionState> {
  if (asked !== undefined && asked < minRetentionDays) {
    throw invalid('days', `must be at least ${minRetentionDays}`);
  }
  const { retention, plan } = await getOrganization({ db, actor });
  const maxDays = retentionDays[askedPlan ?? plan] ?? null;
  const days = shorter(asked ?? retention.runRetentionDays, maxDays);
  const before = firstKeptDay(clock, days);
  return {
    ...retention,
    maxDays,
    days: shorter(retention.runRetentionDays, maxDays),
    firstKept: before,
    runsToRemove: before === null ? 0 : await countRunsBefore(db, actor.orgId, before),
    isExported: retentionExportDir !== null,
    removal: await findNewestRemoval(db, actor.orgId),
  };
}

async function findNewestRemoval(db: Database, orgId: string): Promise<Removal | null> {
  const page = { page: 1, perPage: 1 };
  const { rows: tasks } = await listTasks<RemovalInput, RemovalState>(db, removalKind, { orgId, ...page });
  return tasks[0] ?? null;
}

/** Null if no run was removed. It precedes the first day to keep while a removal is in progress. */
export async function firstWholeDay(db: Database, orgId: string): Promise<Day | null> {
  const removal = await findNewestRemoval(db, orgId);
  if (removal && removal.status !== 'done') return firstDayLeft(removal);
  return (await getOrganization({ db, actor: { orgId } })).retention.detailsFrom;
}

/** The first day from which this removal has removed no runs. */
export function firstDayLeft({ input, state }: Pick<Removal, 'input' | 'state'>): Day | null {
  return state.lastDay === null ? input.formerFrom : addDays(state.lastDay, 1);
}

export function retentionStatus(status: RetentionState) {
  const { maxDays, days, firstKept, runsToRemove, isExported, removal, ...retention } = status;
  return {
    ...apiFields(retention),
    max_retention_days: maxDays,
    retention_days: days,
    first_kept_day: firstKept,
    runs_to_remove: runsToRemove,
    export_before_removal: isExported,
    removal: removal && {
      id: removal.id,
      before: removal.input.before,
      jobs_removed: removal.state.jobs,
      ...taskView(removal),
    },
  };
}

export function firstDayToKeep(
  { clock, retentionDays }: { clock: Clock } & Pick<RetentionLimit, 'retentionDays'>,
  { plan, retention }: Pick<Organization, 'plan' | 'retention'>,
): Day | null {
  return firstKeptDay(clock, shorter(retention.runRetentionDays, retentionDays[plan] ?? null));
}

/** The smaller number of days wins. Null means forever. */
function shorter(own: number | null, max: number | null): number | null {
  return own === null || max === null ? (own ?? max) : Math.min(own, max);
}

function firstKeptDay(clock: Clock, days: number | null): Day | null {
  return days === null ? null : addDays(dayOf(clock.now()), -days);
}

/** Moves the first day to keep, so that earlier runs no longer change, and adds the task that removes them. */
export async function startRemoval(
  tx: Transaction,
  program: Pick<Context, 'clock' | 'subscribers'>,
  { orgId, before }: { orgId: string; before: Day },
): Promise<void> {
  await lockOrganization(tx, orgId);
  const { detailsFrom } = (await getOrganization({ db: tx, actor: { orgId } })).retention;
  if (detailsFrom !== null && detailsFrom >= before) return;
  if ((await countTasksUnderWay(tx, removalKind, orgId)) > 0) return;
  if (!(await hasRunsBefore(tx, orgId, before))) return;
  const total = await countRunsBefore(tx, orgId, before);
  // A failed removal leaves days that are not summed up yet.
  const formerFrom = await firstWholeDay(tx, orgId);
  await changeDetailsFrom(tx, orgId, before);
  const input: RemovalInput = { before, formerFrom };
  const state: RemovalState = { jobs: 0, lastDay: null };
  const { id } = await addTask(tx, program.clock, removalKind, { orgId, input, state, total });
  const actor = { orgId, name: 'retention' };
  await recordAudit(tx, { ...program, actor }, 'run.remove_old', id, { before, runs: total });
}

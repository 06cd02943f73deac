import type { Context } from '../../context.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Day } from '../../platform/lib/days.ts';
import { invalid, PublicError } from '../../platform/lib/errors.ts';
import { type Page, type Paged, rowsOf } from '../../platform/lib/lists.ts';
import {
  addTask,
  countTasksUnderWay,
  getTask,
  listTasks,
  listTasksUnderWay,
  type Task,
  type TaskKind,
} from '../../platform/work/tasks.ts';
import { listEntriesOf, recordAudit } from '../../tenancy/audit/audit.ts';
import { tasksOf } from '../../tenancy/audit/tasks.ts';
import { getOrganization, lockCosts } from '../../tenancy/organizations/organizations.ts';
import { findStoredPriceList, type StoredPriceList } from '../pricing/priceList.ts';
import { countPaidJobs, findChanges, removeChanges, type JobPlace, type LoggedChange } from './queries.ts';

export const repriceKind: TaskKind = { name: 'reprice', idPrefix: 'reprice' };

export type RepriceInput =
  | {
      action: 'reprice';
      from: Day;
      to: Day;
      isDryRun: boolean;
      /** Absent in tasks that an earlier version stored. */
      isUnpricedOnly?: boolean;
      list: StoredPriceList;
    }
  | { action: 'revert'; repriceId: string; from: Day; to: Day };

export type RepriceState = {
  cursor: JobPlace | null;
  changedJobs: number;
  skippedJobs: number;
  beforeNanos: string;
  afterNanos: string;
};

const firstState: RepriceState = {
  cursor: null,
  changedJobs: 0,
  skippedJobs: 0,
  beforeNanos: '0',
  afterNanos: '0',
};

export type Reprice = Task<RepriceInput, RepriceState>;

type ReadContext = Pick<Context, 'db' | 'actor'>;

export async function startReprice(
  ctx: Context,
  asked: { from: Day; to: Day; dry_run?: boolean; unpriced_only?: boolean },
): Promise<Reprice> {
  const { from, to, dry_run: isDryRun = false, unpriced_only: isUnpricedOnly = false } = asked;
  if (from > to) throw invalid('to', 'must not be before from');
  return ctx.db
    .transaction()
    .execute((tx) => startRepriceIn(tx, ctx, { from, to, isDryRun, isUnpricedOnly }));
}

/** Starts at the first day whose jobs are kept. */
export async function startRepriceIn(
  tx: Transaction,
  ctx: Context,
  {
    from: asked,
    to,
    isDryRun = false,
    isUnpricedOnly = false,
  }: { from: Day; to: Day; isDryRun?: boolean; isUnpricedOnly?: boolean },
): Promise<Reprice> {
  const { orgId } = ctx.actor;
  const list = await findStoredPriceList(tx, orgId);
  const { detailsFrom } = (await getOrganization({ ...ctx, db: tx })).retention;
  if (detailsFrom !== null && to < detailsFrom) {
    throw invalid('to', `must not be before ${detailsFrom}: earlier jobs were removed and keep their cost`);
  }
  const from = detailsFrom !== null && asked < detailsFrom ? detailsFrom : asked;
  const total = await countPaidJobs(tx, orgId, from, to);
  const input: RepriceInput = { action: 'reprice', from, to, isDryRun, isUnpricedOnly, list };
  const details = { from, to, dry_run: isDryRun, book_id: list.priceBookId };
  return start(tx, ctx, input, total, isUnpricedOnly ? { ...details, unpriced_only: true } : details);
}

export async function revertReprice(ctx: Context, id: string): Promise<Reprice> {
  const { db, actor } = ctx;
  return db.transaction().execute(async (tx) => {
    const reprice = await getTask<RepriceInput, RepriceState>(tx, repriceKind, { orgId: actor.orgId, id });
    const { from, to } = reprice.input;
    if (reprice.input.action === 'reprice' && reprice.input.isDryRun) {
      const message = 'This reprice was a dry run: there is nothing to undo.';
      throw new PublicError('conflict', 'reprice_was_dry_run', message);
    }
    const input: RepriceInput = { action: 'revert', repriceId: id, from, to };
    return start(tx, ctx, input, reprice.state.changedJobs, { reverts: id });
  });
}

async function start(
  tx: Transaction,
  ctx: Context,
  input: RepriceInput,
  total: number,
  details: Record<string, unknown>,
): Promise<Reprice> {
  const { orgId } = ctx.actor;
  await lockCosts(tx, orgId);
  if ((await countTasksUnderWay(tx, repriceKind, orgId)) > 0) {
    const message = 'A reprice is running. Wait until it ends, or cancel it.';
    throw new PublicError('conflict', 'reprice_under_way', message);
  }
  const asked = { orgId, input, state: firstState, total };
  const task = await addTask<RepriceInput, RepriceState>(tx, ctx.clock, repriceKind, asked);
  await recordAudit(tx, ctx, `reprice.${input.action === 'revert' ? 'revert' : 'create'}`, task.id, details);
  return task;
}

/** Cancelling ends a reprice early. Jobs priced so far keep their new price until a revert. */
export const {
  get: getReprice,
  list: listReprices,
  cancel: cancelReprice,
} = tasksOf<RepriceInput, RepriceState>(repriceKind, 'reprice.cancel');

export async function listChanges(ctx: ReadContext, id: string, page: Page): Promise<Paged<LoggedChange>> {
  const { input, state } = await getReprice(ctx, id);
  const total = input.action === 'reprice' && input.isDryRun ? 0 : state.changedJobs;
  return { rows: await findChanges(ctx.db, ctx.actor.orgId, id, rowsOf(page)), total };
}

/** Some of their jobs have old and some new prices, so their days cannot be compared yet. */
export async function isRepriced(db: Database, orgId: string): Promise<boolean> {
  const tasks = await listTasksUnderWay<RepriceInput, RepriceState>(db, repriceKind, orgId);
  return tasks.some(({ input }) => input.action === 'revert' || !input.isDryRun);
}

/** Removed jobs cannot be reverted to their former price. */
export async function deleteChanges(
  tx: Transaction,
  orgId: string,
  runIds: readonly string[],
): Promise<void> {
  const { rows: tasks } = await listTasks<RepriceInput, RepriceState>(tx, repriceKind, {
    orgId,
    page: 1,
    perPage: maxReprices,
  });
  await removeChanges(tx, orgId, { repriceIds: tasks.map(({ id }) => id), runIds });
}

export type AuthoredReprice = Reprice & { by: string | null };

const maxReprices = 1_000;

export async function listRepricesOf(
  ctx: ReadContext,
  { start: first, end: last }: { start: Day; end: Day },
): Promise<AuthoredReprice[]> {
  const { rows: tasks } = await listReprices(ctx, { page: 1, perPage: maxReprices });
  const found = tasks.filter(
    ({ input, state }) => input.from <= last && input.to >= first && hasChanged(input, state),
  );
  const entries = await listEntriesOf(ctx, {
    actions: ['reprice.create', 'reprice.revert'],
    targets: found.map(({ id }) => id),
  });
  const actorOf = new Map(entries.map(({ target, actor }) => [target, actor]));
  return found.map((reprice) => ({ ...reprice, by: actorOf.get(reprice.id) ?? null }));
}

function hasChanged(input: RepriceInput, { changedJobs }: RepriceState): boolean {
  return changedJobs > 0 && (input.action === 'revert' || !input.isDryRun);
}

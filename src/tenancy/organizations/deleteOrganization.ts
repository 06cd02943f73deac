import type { Logger } from 'pino';
import type { Context, Program } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { invalid } from '../../platform/lib/errors.ts';
import type { Poller } from '../../platform/work/worker.ts';
import { recordAudit } from '../audit/audit.ts';
import { getOrganization, lockOrganization } from './organizations.ts';
import { markDeleted } from './queries.ts';
import {
  claimDeleted,
  findOwnedTables,
  removeOrganization,
  removeRows,
  type OwnedTable,
} from './removal.queries.ts';

/** In the transaction that deletes the organization. The result is logged. */
export type ShutDown = (tx: Transaction, orgId: string, now: Date) => Promise<Record<string, unknown> | void>;

export type DeletionProgram = Program & { log: Pick<Logger, 'info'>; shutDowns: readonly ShutDown[] };

/** If `confirm` repeats its name. `removeSome` removes its rows later. */
export async function deleteOrganization(ctx: Context & DeletionProgram, confirm: string): Promise<void> {
  const { actor, clock, db, log, shutDowns } = ctx;
  const { orgId } = actor;
  const summary = await db.transaction().execute(async (tx) => {
    await lockOrganization(tx, orgId);
    const { name } = await getOrganization({ db: tx, actor });
    if (confirm !== name) throw invalid('confirm', "must be the organization's exact name");
    const now = clock.now();
    await markDeleted(tx, orgId, now);
    const known: Record<string, unknown> = { name, actor: actor.name };
    for (const shutDown of shutDowns) Object.assign(known, await shutDown(tx, orgId, now));
    await recordAudit(tx, ctx, 'organization.delete', orgId, { name });
    return known;
  });
  log.info({ organization: orgId, ...summary }, 'organization deleted');
}

export function removalPollers(program: Pick<DeletionProgram, 'db' | 'log'>): Poller[] {
  const run = () => removeSome(program);
  return [{ name: 'remove deleted organizations', everyMilliseconds: 2_000, run }];
}

/** Few enough that other requests barely wait. */
const rowsAtOnce = 1_000;

/** Its own row last. Returns whether there may be more. Several processes may run this at once. */
export async function removeSome({ db, log }: Pick<DeletionProgram, 'db' | 'log'>): Promise<boolean> {
  const removed = await db.transaction().execute(async (tx) => {
    const orgId = await claimDeleted(tx);
    if (orgId === undefined) return null;
    let left = rowsAtOnce;
    for (const table of referringFirst(await findOwnedTables(tx))) {
      left -= await removeRows(tx, table, { orgId, limit: left });
      if (left === 0) return { orgId, isWhole: false };
    }
    await removeOrganization(tx, orgId);
    return { orgId, isWhole: true };
  });
  if (removed?.isWhole)
    log.info({ organization: removed.orgId }, 'removed all data of a deleted organization');
  return removed !== null;
}

function referringFirst(tables: readonly OwnedTable[]): OwnedTable[] {
  const ordered = new Map<string, OwnedTable>();
  const byName = new Map(tables.map((table) => [table.name, table]));
  const add = (table: OwnedTable): void => {
    for (const name of table.referring) if (!ordered.has(name)) add(byName.get(name)!);
    ordered.set(table.name, table);
  };
  for (const table of tables) add(table);
  return [...ordered.values()];
}

import type { Logger } from 'pino';
import type { Context, Program } from '../context.ts';
import { countChosenRuns } from '../ledger/runs/removeRuns.ts';
import { invalid } from '../platform/lib/errors.ts';
import { formatNanos } from '../platform/lib/money.ts';
import { recordAudit } from '../tenancy/audit/audit.ts';
import { getOrganization } from '../tenancy/organizations/getOrganization.ts';
import { lockOrganization } from '../tenancy/organizations/lockOrganization.ts';
import {
  claimDeleted,
  findOwnedTables,
  removeOrganization,
  removeRows,
  shutDown,
  type OwnedTable,
} from './queries.ts';

export type DeletionProgram = Program & { log: Pick<Logger, 'info'> };

/**
 * Deletes the actor's organization, whose name `confirm` must repeat: from the end of the transaction on nothing of it
 * can be used or is sent. `removeSome` removes its rows. All that stays is a line in the log.
 */
export async function deleteOrganization(
  ctx: Context & Pick<DeletionProgram, 'log'>,
  confirm: string,
): Promise<void> {
  const { actor, clock, db, log } = ctx;
  const { orgId } = actor;
  const facts = await db.transaction().execute(async (tx) => {
    await lockOrganization(tx, orgId);
    const { name } = await getOrganization({ db: tx, actor });
    if (confirm !== name) throw invalid('query.confirm', "must be the organization's name, letter by letter");
    await shutDown(tx, orgId, clock.now());
    await recordAudit(tx, ctx, 'organization.delete', orgId, { name });
    const { runs, jobs, costNanos } = await countChosenRuns(tx, orgId, {});
    return { name, actor: actor.name, runs, jobs, cost: formatNanos(costNanos) };
  });
  log.info({ organization: orgId, ...facts }, 'organization deleted');
}

/** So few that others hardly wait. */
const rowsAtOnce = 1_000;

/**
 * Removes some rows of a deleted organization, in a transaction; in the end its own. Answers whether there may be more.
 * Any number of processes may do so at a time.
 */
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
    log.info({ organization: removed.orgId }, 'the data of a deleted organization are gone');
  return removed !== null;
}

/** In an order in which no row is removed that another one still refers to. */
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

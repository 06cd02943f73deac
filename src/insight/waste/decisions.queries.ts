import type { Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Tables } from '../../tables.ts';

export type DecisionRow = Selectable<Tables['wasteDecisions']>;
type DecisionKey = Pick<DecisionRow, 'orgId' | 'workflowId' | 'category'>;

export function findDecisions(db: Database, orgId: string): Promise<DecisionRow[]> {
  return db.selectFrom('wasteDecisions').selectAll().where('orgId', '=', orgId).execute();
}

export function findDecisionToChange(tx: Transaction, key: DecisionKey): Promise<DecisionRow | undefined> {
  return tx
    .selectFrom('wasteDecisions')
    .selectAll()
    .where('orgId', '=', key.orgId)
    .where('workflowId', '=', key.workflowId)
    .where('category', '=', key.category)
    .forUpdate()
    .executeTakeFirst();
}

export async function putDecision(tx: Transaction, { orgId, ...decision }: DecisionRow): Promise<void> {
  await tx
    .insertInto('wasteDecisions')
    .values({ orgId, ...decision })
    .onConflict((conflict) => conflict.columns(['orgId', 'workflowId', 'category']).doUpdateSet(decision))
    .execute();
}

export async function removeDecision(
  tx: Transaction,
  { orgId, workflowId, category }: DecisionKey,
): Promise<void> {
  await tx
    .deleteFrom('wasteDecisions')
    .where('orgId', '=', orgId)
    .where('workflowId', '=', workflowId)
    .where('category', '=', category)
    .execute();
}

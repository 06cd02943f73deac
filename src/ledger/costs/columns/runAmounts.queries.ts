import { sql, type RawBuilder } from 'kysely';
import type { Transaction } from '../../../platform/db/database.ts';
import type { Day, Window } from '../../../platform/lib/days.ts';
import type { Product } from '../../../platform/lib/products.ts';
import { columnsOfRuns, type ColumnName } from './dayColumns.queries.ts';

export type AmountRow = Partial<Record<ColumnName, string | null>> & {
  day: Day;
  product: Product;
  unit: string | null;
  costNanos: string;
};

/** What runs cost beside their jobs, on the days on which they were created. Of removed runs, the place is left. */
export async function findRunAmounts(
  tx: Transaction,
  orgId: string,
  names: readonly ColumnName[],
  { start, end }: Pick<Window, 'start' | 'end'>,
): Promise<AmountRow[]> {
  const own: Partial<Record<ColumnName, RawBuilder<unknown>>> = {
    ...columnsOfRuns,
    repository: sql`coalesce(r.repository, a.repository)`,
    workflowId: sql`coalesce(r.workflow_id, a.workflow_id)`,
    provider: sql`a.provider`,
    actor: sql`actor_of_job(null, a.attempt, r.actor, r.attempt_actors, r.started_by)`,
  };
  const asked = [...new Set<ColumnName>([...names, 'provider'])].filter((name) => own[name]);
  const { rows } = await sql<AmountRow>`
    select ${sql.join([sql`a.day`, ...asked.map((name) => sql`${own[name]} as ${sql.ref(name)}`)])},
      x.product, x.unit, x."costNanos" as cost_nanos
    from run_amounts a
    left join runs r on r.org_id = ${orgId} and r.id = a.run_id
    cross join lateral jsonb_to_recordset(a.amounts) x(product text, unit text, "costNanos" text)
    where a.org_id = ${orgId} and a.day between ${start} and ${end}
    order by a.day, a.run_id, a.attempt, a.key
  `.execute(tx);
  return rows;
}

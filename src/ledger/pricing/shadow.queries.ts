import { sql, type Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Window } from '../../platform/lib/days.ts';
import type { Tables } from '../../tables.ts';

export type ShadowRate = Omit<Selectable<Tables['shadowRates']>, 'orgId'>;

export function findShadowRates(db: Database, orgId: string): Promise<ShadowRate[]> {
  return db
    .selectFrom('shadowRates')
    .select(['runnerKind', 'effectiveFrom', 'nanosPerMinute'])
    .where('orgId', '=', orgId)
    .orderBy('runnerKind')
    .orderBy('effectiveFrom')
    .execute();
}

export async function replaceShadowRates(
  tx: Transaction,
  orgId: string,
  rates: readonly ShadowRate[],
): Promise<void> {
  await tx.deleteFrom('shadowRates').where('orgId', '=', orgId).execute();
  if (rates.length === 0) return;
  await tx
    .insertInto('shadowRates')
    .values(rates.map((rate) => ({ orgId, ...rate })))
    .execute();
}

export type ShadowRow = {
  workflowId: string;
  workflowName: string;
  repository: string;
  runnerKind: string;
  minutes: bigint;
  /** Of these, on days for which there is a rate. */
  ratedMinutes: bigint;
  shadowNanos: bigint;
};

/** What each workflow's minutes come to at the rates of their days, on the kinds that have rates or nobody bills. */
export async function findShadowCosts(
  db: Database,
  orgId: string,
  { start, end }: Window,
): Promise<ShadowRow[]> {
  const { rows } = await sql<ShadowRow>`
    select d.workflow_id, w.name as workflow_name, w.repository, d.runner_kind,
      sum(d.minutes)::int8 as minutes,
      coalesce(sum(d.minutes) filter (where s.nanos_per_minute is not null), 0)::int8 as rated_minutes,
      coalesce(sum(d.minutes * s.nanos_per_minute), 0)::int8 as shadow_nanos
    from runner_days d
    join workflows w on w.org_id = d.org_id and w.id = d.workflow_id
    left join lateral (
      select nanos_per_minute from shadow_rates r
      where r.org_id = d.org_id and r.runner_kind = d.runner_kind and r.effective_from <= d.day
      order by r.effective_from desc
      limit 1
    ) s on true
    where d.org_id = ${orgId} and d.day between ${start} and ${end} and d.minutes > 0
      and (d.runner_kind in ('self_hosted', 'third_party')
        or d.runner_kind in (select runner_kind from shadow_rates where org_id = ${orgId}))
    group by d.workflow_id, w.name, w.repository, d.runner_kind
  `.execute(db);
  return rows;
}

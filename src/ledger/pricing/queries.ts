import { sql, type Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { prepared } from '../../platform/db/prepared.ts';
import { rowsIn } from '../../platform/db/rowsIn.ts';
import type { Window } from '../../platform/lib/days.ts';
import type { Tables } from '../../tables.ts';
import { readLaterRates, storedLaterRates, type DatedPrice } from './priceBook.ts';
import type { Listing } from './provider.ts';
import type { LaterRates, StoredPrice } from './tables.ts';

const bookRows = rowsIn('priceBooks');

export type PriceListRow = {
  priceBookId: string;
  book: { name: string; prices: StoredPrice[] } | null;
  rules: StoredRule[];
  /** In order of name, owner and first day. Absent if there are none. */
  listings?: StoredListing[];
  /** Of providers whose terms price credits, oldest first. Absent if there are none. */
  credits?: StoredCreditPrice[];
};

/** Null means the price of the list. */
export type StoredCreditPrice = { provider: string; effectiveFrom: string; nanosPerCredit: string | null };

export type StoredListing = Listing & { owner: string };

export type StoredRule = {
  id: string;
  match: 'label' | 'regex' | 'runner_group';
  pattern: string;
  runnerKind: string | null;
  name: string | null;
  nanosPerMinute: string | null;
  /** Absent in price lists that older tasks have stored. */
  laterRates?: LaterRates | null;
  rounding: 'minute' | 'second' | null;
};

export async function findPriceListRow(db: Database, orgId: string): Promise<PriceListRow | undefined> {
  const { rows } = await db.executeQuery(priceListOf(orgId));
  const [row] = rows;
  if (!row?.listings) delete row?.listings;
  if (!row?.credits) delete row?.credits;
  return row as PriceListRow | undefined;
}

type StoredOrNull = Omit<PriceListRow, 'listings' | 'credits'> & {
  listings?: StoredListing[] | null;
  credits?: StoredCreditPrice[] | null;
};

const priceListOf = prepared(
  (orgId: string) => sql<StoredOrNull>`
    select o.price_book_id,
      (select jsonb_build_object('name', b.name, 'prices', b.prices)
       from price_books b where b.org_id = ${orgId} and b.id = o.price_book_id) as book,
      coalesce((
        select jsonb_agg(jsonb_build_object(
          'id', r.id, 'match', r.match, 'pattern', r.pattern, 'runnerKind', r.runner_kind, 'name', r.name,
          'nanosPerMinute', r.nanos_per_minute::text, 'laterRates', r.later_rates, 'rounding', r.rounding) order by r.position, r.id)
        from price_rules r where r.org_id = ${orgId}
      ), '[]') as rules,
      (select jsonb_agg(jsonb_build_object(
          'owner', h.owner, 'name', h.name, 'firstDay', h.first_day, 'platform', h.platform, 'size', h.size,
          'cores', h.cores) order by h.name, h.owner, h.first_day)
       from hosted_runners h where h.org_id = ${orgId}) as listings,
      (select jsonb_agg(jsonb_build_object(
          'provider', t.provider, 'effectiveFrom', t.effective_from, 'nanosPerCredit', t.credit_nanos::text)
          order by t.provider, t.effective_from)
       from billing_terms t where t.org_id = ${orgId} and exists (
         select from billing_terms p
         where p.org_id = ${orgId} and p.provider = t.provider and p.credit_nanos is not null)) as credits
    from organizations o
    where o.org_id = ${orgId}
  `,
);

export function findBookNames(
  db: Database,
  orgId: string,
  ids: string[],
): Promise<{ id: string; name: string }[]> {
  return db
    .selectFrom('priceBooks')
    .select(['id', 'name'])
    .where('orgId', '=', orgId)
    .where('id', 'in', ids)
    .execute();
}

export type BookRow = Omit<Selectable<Tables['priceBooks']>, 'prices'> & { prices: StoredPrice[] };
type BookChanges = Partial<Pick<BookRow, 'name' | 'prices' | 'updatedAt' | 'deletedAt'>>;

export async function findBookRows(db: Database, orgId: string): Promise<BookRow[]> {
  return (await bookRows.list(db, { orgId, deletedAt: null }, 'createdAt', 'id')) as BookRow[];
}

export async function findBookRow(db: Database, orgId: string, id: string): Promise<BookRow | undefined> {
  return (await bookRows.find(db, { orgId, id }, { deletedAt: null })) as BookRow | undefined;
}

export async function insertBook(tx: Transaction, row: BookRow): Promise<void> {
  await bookRows.insert(tx, { ...row, prices: JSON.stringify(row.prices) });
}

export async function changeBook(
  tx: Transaction,
  book: Pick<BookRow, 'orgId' | 'id'>,
  { prices, ...changes }: BookChanges,
): Promise<void> {
  await bookRows.change(tx, book, { ...changes, ...(prices && { prices: JSON.stringify(prices) }) });
}

export type RuleRow = Omit<Selectable<Tables['priceRules']>, 'laterRates'> & {
  laterRates: readonly DatedPrice[];
};

export async function findRuleRows(db: Database, orgId: string): Promise<RuleRow[]> {
  const rows = await db
    .selectFrom('priceRules')
    .selectAll()
    .where('orgId', '=', orgId)
    .orderBy('position')
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ ...row, laterRates: readLaterRates(row.laterRates) }));
}

/** Rewrites all rules, because there are few and moving one moves others. */
export async function replaceRules(tx: Transaction, orgId: string, rows: readonly RuleRow[]): Promise<void> {
  await tx.deleteFrom('priceRules').where('orgId', '=', orgId).execute();
  if (rows.length === 0) return;
  await tx
    .insertInto('priceRules')
    .values(rows.map((row) => ({ ...row, laterRates: storedLaterRates(row.laterRates) })))
    .execute();
}

export type TermsRow = Omit<Selectable<Tables['billingTerms']>, 'orgId'>;

/** By provider, oldest first. */
export function findTermRows(db: Database, orgId: string): Promise<TermsRow[]> {
  return db
    .selectFrom('billingTerms')
    .select([
      'provider',
      'effectiveFrom',
      'includedPlan',
      'includedUnit',
      'includedMinutes',
      'includedNanos',
      'includedDraw',
      'discount',
      'creditNanos',
      'includedCredits',
    ])
    .where('orgId', '=', orgId)
    .orderBy(sql`provider collate "C"`)
    .orderBy('effectiveFrom')
    .execute();
}

export async function replaceTermRows(
  tx: Transaction,
  orgId: string,
  rows: readonly TermsRow[],
): Promise<void> {
  await tx.deleteFrom('billingTerms').where('orgId', '=', orgId).execute();
  if (rows.length === 0) return;
  await tx
    .insertInto('billingTerms')
    .values(rows.map((row) => ({ orgId, ...row })))
    .execute();
}

/** Sums of a day's jobs by everything that decides their deductions. */
export type ChargeDay = Omit<Selectable<Tables['chargeDays']>, 'orgId' | 'jobs'>;

export function findChargeDays(
  db: Database,
  orgId: string,
  { start, end }: Pick<Window, 'start' | 'end'>,
): Promise<ChargeDay[]> {
  return db
    .selectFrom('chargeDays')
    .select(['day', 'provider', 'runnerKind', 'isFree', 'minutes', 'costNanos'])
    .where('orgId', '=', orgId)
    .where('day', '>=', start)
    .where('day', '<=', end)
    .where('jobs', '>', 0n)
    .orderBy('day')
    .orderBy('runnerKind')
    .execute();
}

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
  ratedMinutes: bigint;
  shadowNanos: bigint;
};

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
      where r.org_id = ${orgId} and r.runner_kind = d.runner_kind and r.effective_from <= d.day
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

export type HostedRunnerRow = Selectable<Tables['hostedRunners']>;

/** By owner and name, oldest facts first. */
export function findHostedRunners(db: Database, orgId: string): Promise<HostedRunnerRow[]> {
  return db
    .selectFrom('hostedRunners')
    .selectAll()
    .where('orgId', '=', orgId)
    .orderBy(sql`owner collate "C", name collate "C"`)
    .orderBy('firstDay')
    .execute();
}

export async function saveHostedRunner(
  tx: Transaction,
  { orgId, ...runner }: HostedRunnerRow,
): Promise<void> {
  await tx
    .insertInto('hostedRunners')
    .values({ orgId, ...runner })
    .onConflict((conflict) => conflict.columns(['orgId', 'owner', 'name', 'firstDay']).doUpdateSet(runner))
    .execute();
}

import { sql } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { unnestRows, type Columns } from '../../platform/db/unnestRows.ts';
import type { TimeSlice } from '../../platform/lib/days.ts';
import type { Tables } from '../../tables.ts';

export type PullRequestRow = Omit<Tables['pullRequests'], 'orgId' | 'changes'>;
export type Changes = NonNullable<Tables['pullRequests']['changes']>;

const columns = {
  provider: 'text',
  repository: 'text',
  number: 'integer',
  state: 'text',
  title: 'text',
  author: 'text',
  createdAt: 'timestamptz',
  endedAt: 'timestamptz',
  observedAt: 'timestamptz',
} satisfies Record<keyof PullRequestRow, Columns[string]>;

/** A merged pull request stays merged. Of two facts of one second, the same one wins in every order. */
function orderOf(table: 'known' | 'excluded') {
  const column = (name: string) => sql.ref(`${table}.${name}`);
  const ended = sql`coalesce(${column('endedAt')}, '-infinity')`;
  return sql`(${column('state')} = 'merged', ${column('observedAt')}, ${column('state')} = 'closed', ${ended},
    ${column('state')} = 'open', coalesce(${column('title')}, ''))`;
}

/** Reports of one pull request can come in any order, and again. Returns how many rows changed what costs show. */
export async function mergePullRequests(
  tx: Transaction,
  orgId: string,
  rows: readonly PullRequestRow[],
): Promise<number> {
  const names = Object.keys(columns).map((name) => sql.ref(name));
  const isNewer = sql`${orderOf('excluded')} > ${orderOf('known')}`;
  const newest = ['state', 'title', 'endedAt', 'observedAt'].map(
    (name) =>
      sql`${sql.ref(name)} = case when ${isNewer} then ${sql.ref(`excluded.${name}`)} else ${sql.ref(`known.${name}`)} end`,
  );
  const { numAffectedRows = 0n } = await sql`
    insert into pull_requests as known (org_id, ${sql.join(names)}) ${unnestRows(orgId, rows, columns)}
    on conflict (org_id, provider, repository, number) do update set ${sql.join(newest)},
      changes = case when ${isNewer} and excluded.ended_at is distinct from known.ended_at then null else known.changes end,
      author = greatest(known.author, excluded.author), created_at = least(known.created_at, excluded.created_at)
    where ${isNewer} or greatest(known.author, excluded.author) is distinct from known.author
      or least(known.created_at, excluded.created_at) is distinct from known.created_at
  `.execute(tx);
  return Number(numAffectedRows);
}

/** Not of one that was opened again since it was read. */
export async function setChanges(
  db: Database,
  orgId: string,
  { provider, repository, number }: Pick<PullRequestRow, 'provider' | 'repository' | 'number'>,
  changes: Changes,
): Promise<void> {
  await db
    .updateTable('pullRequests')
    .set({ changes })
    .where('orgId', '=', orgId)
    .where('provider', '=', provider)
    .where('repository', '=', repository.toLowerCase())
    .where('number', '=', number)
    .where('state', 'in', ['merged', 'closed'])
    .execute();
}

/** Those with one of the numbers in one of the repositories, which must be in lower case. */
export function findPullRequests(
  db: Database,
  orgId: string,
  { repositories, numbers }: { repositories: readonly string[]; numbers: readonly number[] },
): Promise<PullRequestRow[]> {
  if (numbers.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('pullRequests')
    .select(Object.keys(columns) as (keyof PullRequestRow)[])
    .where('orgId', '=', orgId)
    .where(sql<boolean>`repository = any(${[...repositories]}::text[])`)
    .where(sql<boolean>`number = any(${[...numbers]}::integer[])`)
    .execute();
}

/** Those that were merged or closed in this time. */
export function findEndedPullRequests(
  db: Database,
  orgId: string,
  { from, until }: TimeSlice,
): Promise<PullRequestRow[]> {
  return db
    .selectFrom('pullRequests')
    .select(Object.keys(columns) as (keyof PullRequestRow)[])
    .where('orgId', '=', orgId)
    .where('endedAt', '>=', from)
    .where('endedAt', '<', until)
    .execute();
}

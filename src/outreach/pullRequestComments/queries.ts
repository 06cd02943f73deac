import { sql, type RawBuilder, type Selectable } from 'kysely';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { rowsIn } from '../../platform/db/rowsIn.ts';
import { unnested } from '../../platform/db/unnestRows.ts';
import { claimInOrder, removeOld } from '../../platform/work/claims.ts';
import { isFree, leasedBy, type Lease } from '../../platform/work/leases.ts';
import type { Tables } from '../../tables.ts';

export const searchRows = rowsIn('pullRequestSearches');

export type CommentRow = Selectable<Tables['pullRequestComments']>;

export type SettingsRow = Selectable<Tables['pullRequestSettings']>;

export function findSettings(db: Database, orgId: string): Promise<SettingsRow | undefined> {
  return db.selectFrom('pullRequestSettings').selectAll().where('orgId', '=', orgId).executeTakeFirst();
}

export async function putSettings(tx: Transaction, { orgId, ...settings }: SettingsRow): Promise<void> {
  await tx
    .insertInto('pullRequestSettings')
    .values({ orgId, ...settings })
    .onConflict((conflict) => conflict.column('orgId').doUpdateSet(settings))
    .execute();
}

export type QueuedComment = Pick<
  CommentRow,
  'id' | 'provider' | 'repository' | 'number' | 'headSha' | 'headCreatedAt' | 'dueAt'
> & { isNamed: boolean };

/** A minute after the last write. A distributed database takes no sum that depends on the time zone of the session. */
const nextWrite = sql`(known.written_at at time zone 'UTC' + interval '1 minute') at time zone 'UTC'`;
const isNewer = sql`excluded.head_sha is not null
  and excluded.head_created_at >= coalesce(known.head_created_at, '-infinity')`;

/** A new comment needs an event that named the pull request. A comment just written waits for a minute. */
export async function queueComments(
  tx: Transaction,
  orgId: string,
  comments: readonly QueuedComment[],
  now: Date,
): Promise<void> {
  const rows = unnested(comments, {
    id: 'text',
    provider: 'text',
    repository: 'text',
    number: 'integer',
    headSha: 'text',
    headCreatedAt: 'timestamptz',
    dueAt: 'timestamptz',
    isNamed: 'boolean',
  });
  await sql`
    insert into pull_request_comments as known (
      org_id, id, provider, repository, number, head_sha, head_created_at, due_at,
      revision, status, attempts, is_comment_deleted, created_at
    )
    select s.org_id, row.id, row.provider, row.repository, row.number, row.head_sha, row.head_created_at, row.due_at,
      1, 'due', 0, false, ${now}
    from pull_request_settings s cross join ${rows}
    left join pull_request_comments c
      on c.org_id = s.org_id and c.provider = row.provider and c.repository = row.repository and c.number = row.number
    where s.org_id = ${orgId} and s.is_enabled and (row.is_named or c.id is not null)
    on conflict (org_id, provider, repository, number) do update
    set head_sha = case when ${isNewer} then excluded.head_sha else known.head_sha end,
      head_created_at = case when ${isNewer} then excluded.head_created_at else known.head_created_at end,
      revision = known.revision + 1,
      status = 'due', attempts = case when known.status = 'failed' then 0 else known.attempts end,
      due_at = case
        when known.status = 'due' and known.lease is null then known.due_at
        else greatest(excluded.due_at, ${nextWrite})
      end
  `.execute(tx);
}

/** Claims one at a time, because each may take as long as its lease. */
export function claimComment(db: Database, claim: Claim): Promise<CommentRow | undefined> {
  return claimDue<CommentRow>(db, 'pullRequestComments', sql`status = 'due'`, claim);
}

type Claim = { now: Date; lease: Lease };

function claimDue<Row>(
  db: Database,
  table: 'pullRequestComments' | 'pullRequestSearches',
  isWaiting: RawBuilder<unknown>,
  { now, lease }: Claim,
): Promise<Row | undefined> {
  const isDue = sql`${isWaiting} and due_at <= ${now} and ${isFree(now)}`;
  const due = sql`select org_id from ${sql.table(table)} where ${isDue} order by due_at`;
  return claimInOrder(db, due, async (orgId) => {
    const { rows } = await sql<Row>`
      with due as (
        select id from ${sql.table(table)}
        where org_id = ${orgId} and ${isDue}
        order by due_at
        limit 1
        for update skip locked
      )
      update ${sql.table(table)} c
      set ${leasedBy(lease)}, attempts = attempts + 1
      from due
      where c.org_id = ${orgId} and c.id = due.id
      returning c.*
    `.execute(db);
    return rows[0];
  });
}

/** If a run ended meanwhile, the comment is due again. */
export function statusAfter({ revision }: Pick<CommentRow, 'revision'>, status: CommentRow['status']) {
  return sql<CommentRow['status']>`case when revision = ${revision} then ${status} else 'due' end`;
}

/** If a run ended meanwhile, the comment keeps the time of its next write, but waits at least a minute. */
export function dueAfter({ revision }: Pick<CommentRow, 'revision'>, now: Date) {
  const later = new Date(now.getTime() + 60_000);
  return sql<Date>`case when revision = ${revision} then ${now} else greatest(due_at, ${later}::timestamptz) end`;
}

/** Postpones all comments of the organization, because they use the same account. */
export async function postpone(db: Database, orgId: string, until: Date): Promise<void> {
  await db
    .updateTable('pullRequestComments')
    .set({ dueAt: until })
    .where((all) => all.and({ orgId, status: 'due' }))
    .where('dueAt', '<', until)
    .execute();
}

export function findComments(db: Database, orgId: string, limit: number): Promise<CommentRow[]> {
  return db
    .selectFrom('pullRequestComments')
    .selectAll()
    .where('orgId', '=', orgId)
    .orderBy(sql`coalesce(written_at, created_at)`, 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
}

export type SearchRow = Selectable<Tables['pullRequestSearches']>;

export type QueuedSearch = Omit<SearchRow, 'orgId' | 'attempts' | 'lease' | 'leasedUntil'>;

/** Queues nothing if comments are off. */
export async function queueForkRuns(
  tx: Transaction,
  orgId: string,
  searches: readonly QueuedSearch[],
): Promise<void> {
  const rows = unnested(searches, {
    id: 'text',
    provider: 'text',
    repository: 'text',
    runId: 'text',
    headRepository: 'text',
    headBranch: 'text',
    headSha: 'text',
    installationId: 'text',
    createdAt: 'timestamptz',
    dueAt: 'timestamptz',
  });
  await sql`
    insert into pull_request_searches (
      org_id, id, provider, repository, run_id, head_repository, head_branch, head_sha, installation_id,
      created_at, due_at, attempts
    )
    select s.org_id, row.id, row.provider, row.repository, row.run_id, row.head_repository, row.head_branch,
      row.head_sha, row.installation_id, row.created_at, row.due_at, 0
    from pull_request_settings s cross join ${rows}
    where s.org_id = ${orgId} and s.is_enabled
    on conflict (org_id, provider, repository, run_id) do nothing
  `.execute(tx);
}

export function claimSearch(db: Database, claim: Claim): Promise<SearchRow | undefined> {
  return claimDue<SearchRow>(db, 'pullRequestSearches', sql`true`, claim);
}

/** Postpones all searches of the organization, because they use the same account. */
export async function postponeSearches(db: Database, orgId: string, until: Date): Promise<void> {
  await db
    .updateTable('pullRequestSearches')
    .set({ dueAt: until })
    .where('orgId', '=', orgId)
    .where('dueAt', '<', until)
    .execute();
}

export async function stopComments(tx: Transaction, orgId: string): Promise<void> {
  await searchRows.removeAll(tx, { orgId });
  await tx
    .deleteFrom('pullRequestComments')
    .where((all) => all.and({ orgId, status: 'due' }))
    .execute();
}

/** If somebody pushes later, the mark in the comment finds it again. */
export function deleteOldComments(db: Database, before: Date): Promise<number> {
  const where = sql`status <> 'due'`;
  return removeOld(db, 'pullRequestComments', { key: 'id', age: 'dueAt', before, where });
}

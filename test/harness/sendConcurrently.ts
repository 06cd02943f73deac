import { sql } from 'kysely';
import type { Answer, TestApp } from './app.ts';

/** Sends requests at once. None of them writes to the table before all wait for its lock or for each other. */
export async function sendConcurrently(
  { app }: TestApp,
  table: 'members' | 'tokens',
  orgId: string,
  requests: (() => Promise<Answer>)[],
): Promise<Answer[]> {
  const sendAll = () => requests.map((send) => send());
  const answers = await app.db.transaction().execute(async (tx) => {
    await sql`select 1 from ${sql.table(table)} where org_id = ${orgId} for update`.execute(tx);
    const sent = sendAll();
    const countWaiting = sql<{ waiting: bigint }>`
      select count(*) as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    while (Number((await countWaiting.execute(app.db)).rows[0]!.waiting) < requests.length) continue;
    return sent;
  });
  return Promise.all(answers);
}

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startTestApp, type Answer, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';

const { app, clock, newOrganization } = await startTestApp();

/** Sends more requests at once than there is room for, and expects the rest to be refused with this code. */
async function assertRoomFor(room: number, code: string, create: (index: number) => Promise<Answer>) {
  const answers = await Promise.all(Array.from({ length: room + 3 }, (_, index) => create(index)));
  const refused = answers.filter(({ status }) => status !== 201);
  assert.equal(refused.length, 3, refused[0]?.text ?? '');
  for (const answer of refused) assertProblem(answer, 409, code);
  return answers.find(({ status }) => status === 201)!.body.data.id as string;
}

async function countOf(organization: TestOrganization, path: string): Promise<number> {
  return (await organization.get(path)).body.data.length;
}

test('allows 1,000 active tokens, and a revoked or expired one makes room', async () => {
  const organization = await newOrganization();
  const { orgId } = organization;
  const now = clock.now();
  const soon = new Date(now.getTime() + 60_000);
  const fill = async (
    prefix: string,
    count: number,
    { expires = null as Date | null, revoked = null as Date | null },
  ) =>
    sql`
      insert into tokens (org_id, id, name, role, scopes, secret_hash, created_at, expires_at, revoked_at)
      select ${orgId}::uuid, ${prefix} || n, 'x', 'viewer', '{}', '', ${now}::timestamptz,
        ${expires}::timestamptz, ${revoked}::timestamptz
      from generate_series(1, ${count}::int) n
    `.execute(app.db);
  await fill('tok_live', 994, {});
  await fill('tok_soon', 1, { expires: soon });
  await fill('tok_revoked', 9, { revoked: now });
  const create = () => organization.send('POST', '/api/v1/tokens', { name: 'x', role: 'viewer' });
  // The organization's first token sends these requests.
  const id = await assertRoomFor(4, 'too_many_tokens', create);
  assert.match((await create()).body.detail, /at most 1,000 tokens\. Revoke one first\./);
  await organization.send('DELETE', `/api/v1/tokens/${id}`);
  await assertRoomFor(1, 'too_many_tokens', create);
  clock.forward(60);
  await assertRoomFor(1, 'too_many_tokens', create);
});

test('allows 1,000 members, and a removed one makes room', async () => {
  const organization = await newOrganization();
  await sql`
    insert into members (org_id, id, email, role, alert_emails, created_at, updated_at)
    select ${organization.orgId}::uuid, 'mem_' || n, 'filler-' || n || '@acme.test', 'viewer', false, now(), now()
    from generate_series(1, 996) n
  `.execute(app.db);
  const create = (index: number) =>
    organization.send('POST', '/api/v1/members', { email: `member-${index}@acme.test` });
  const id = await assertRoomFor(4, 'too_many_members', create);
  assert.equal(await countOf(organization, '/api/v1/members'), 1_000);
  await organization.send('DELETE', `/api/v1/members/${id}`);
  await assertRoomFor(1, 'too_many_members', (index) => create(100 + index));
});

test('allows 200 sources, and a deleted one makes room', async () => {
  const organization = await newOrganization();
  await sql`
    insert into sources (org_id, id, kind, name, secret, created_at)
    select ${organization.orgId}::uuid, 'src_' || n, 'github', 'x', '', now() from generate_series(1, 196) n
  `.execute(app.db);
  const create = () => organization.send('POST', '/api/v1/sources', { kind: 'github' });
  const id = await assertRoomFor(4, 'too_many_sources', create);
  assert.equal(await countOf(organization, '/api/v1/sources'), 200);
  await organization.send('DELETE', `/api/v1/sources/${id}`);
  await assertRoomFor(1, 'too_many_sources', create);
  assert.equal(
    (await (await newOrganization()).send('POST', '/api/v1/sources', { kind: 'github' })).status,
    201,
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { looksOf } from '../../platform/lib/text.ts';

const testApp = await sharedTestApp();
const path = '/api/v1/actors/patterns';

async function jobsByKind(organization: TestOrganization) {
  const answer = await organization.get('/api/v1/costs', { group_by: 'actor_kind', metric: 'jobs' });
  assert.equal(answer.status, 200, answer.text);
  type Group = { by: { value: string | null }[]; value: number };
  return Object.fromEntries(
    (answer.body.data.groups as Group[]).map(({ by, value }) => [by[0]!.value ?? '', value]),
  );
}

test('a pattern changes past answers at once, and so does its removal', async () => {
  const organization = await testApp.newOrganization();
  const at = testApp.clock.now().toISOString();
  const job = newJob({ runner: 'linux_2_core', started_at: at, completed_at: at });
  for (const actor of ['mona', 'acme-helper', 'dependabot[bot]'])
    await submit(organization, newRun({ run_id: actor, actor, created_at: at, started_at: at, jobs: [job] }));
  const jobs = () => jobsByKind(organization);
  assert.deepEqual(await jobs(), { person: 2, bot: 1 });
  const given = { pattern: 'ACME-*', kind: 'agent' };
  const created = await organization.send('POST', path, given);
  assert.equal(created.status, 201, created.text);
  const { id } = created.body.data;
  assert.deepEqual(await jobs(), { person: 1, bot: 1, agent: 1 });
  const changed = await organization.send('PUT', `${path}/${id}`, { kind: 'bot' });
  assert.deepEqual(
    [changed.status, changed.body.data.pattern, changed.body.data.kind],
    [200, 'ACME-*', 'bot'],
  );
  assert.deepEqual(await jobs(), { person: 1, bot: 2 });
  assert.equal((await organization.send('PUT', `${path}/${id}`, { kind: 'bot' })).status, 200);
  assert.equal((await organization.send('DELETE', `${path}/${id}`)).status, 200);
  assert.deepEqual(await jobs(), { person: 2, bot: 1 });
  assert.equal((await organization.send('DELETE', `${path}/${id}`)).status, 404);
  const audit = await organization.get('/api/v1/audit-log');
  assert.deepEqual(
    audit.body.data.slice(0, 3).map(({ summary }: { summary: string }) => summary),
    [
      'deleted the kind of the actors ACME-*',
      'changed the kind of an actor pattern from agent to bot',
      'set the kind of the actors ACME-* to agent',
    ],
  );
});

test('a pattern exists in any case, also where PostgreSQL and JavaScript know other cases', async () => {
  const organization = await testApp.newOrganization();
  for (const [first, second] of [
    ['İx', 'ix'],
    ['ΑΣ', 'ασ'],
    ['Bot-*', 'bOT-*'],
  ] as const) {
    const create = (pattern: string) => organization.send('POST', path, { pattern, kind: 'bot' });
    assert.equal((await create(first)).status, 201);
    assertProblem(await create(second), 409, 'actor_pattern_exists');
  }
  // All that an index by `lower` would refuse looks the same.
  const all = Array.from({ length: 0xd7ff }, (_, code) => String.fromCharCode(code + 1));
  const { rows } = await sql<{ letter: string; lower: string }>`
    select letter, lower(letter) from unnest(${all}::text[]) letter where lower(letter) <> letter
  `.execute(testApp.app.db);
  const unlike = rows.filter(({ letter, lower }) => looksOf(`a${letter}`) !== looksOf(`a${lower}`));
  assert.deepEqual(unlike, []);
});

test('the list has own patterns first, then the shipped ones with their date', async () => {
  const organization = await testApp.newOrganization();
  await organization.send('POST', path, { pattern: 'zed', kind: 'agent' });
  const { body } = await organization.get(path);
  const [own, shipped] = body.data;
  assert.deepEqual([own.pattern, own.kind, own.checked_on], ['zed', 'agent', null]);
  assert.equal(shipped.id, null);
  assert.match(shipped.checked_on, /^\d{4}-\d\d-\d\d$/);
  const other = await testApp.newOrganization();
  const others = (await other.get(path)).body.data as { id: string | null }[];
  assert.ok(others.every(({ id }) => id === null));
  for (const [method, changes] of [
    ['PUT', { kind: 'bot' }],
    ['DELETE', undefined],
  ] as const)
    assert.equal((await other.send(method, `${path}/${own.id}`, changes)).status, 404);
});

test('patterns that say nothing, or the same twice, are refused', async () => {
  const organization = await testApp.newOrganization();
  const add = (pattern: string, kind = 'agent') => organization.send('POST', path, { pattern, kind });
  for (const pattern of ['', ' ', '*', '**']) assert.equal((await add(pattern)).status, 400, pattern);
  assert.equal((await add('acme', 'robot')).status, 400);
  assert.equal((await add('Acme')).status, 201);
  const again = await add('acme', 'bot');
  assert.deepEqual([again.status, again.body.code], [409, 'actor_pattern_exists']);
  const { id } = (await add('b')).body.data;
  assert.equal((await organization.send('PUT', `${path}/${id}`, { pattern: 'ACME' })).status, 409);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { newAlert, spend } from '../../../test/harness/alerts.ts';
import { request, startTestApp, type Answer, type TestOrganization } from '../../../test/harness/app.ts';
import { newReadingSource, serveRuns, startBackfill } from '../../../test/harness/backfills.ts';
import { bill, importCsv, lineOf } from '../../../test/harness/bills.ts';
import { emitEvents, subscribe } from '../../../test/harness/deliveries.ts';
import { newExport } from '../../../test/harness/exports.ts';
import { startFakeGitHub } from '../../../test/harness/gitHubApi.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { openMailbox } from '../../../test/harness/receivers.ts';
import { browsersOf, newMember, sessionPath } from '../../../test/harness/sessions.ts';
import { newSource } from '../../../test/harness/source.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { openWebhookReceiver } from '../../../test/harness/webhookReceiver.ts';
import { newWebhook, insertDeliveries } from '../../../test/harness/webhooks.ts';
import { gitHubRun } from '../../../test/payloads/gitHub.ts';
import { createRecorder } from '../../ledger/runs/recorder.ts';
import { checkDueAlerts } from '../../outreach/alerts/checkAlerts.ts';
import { listOrganizations } from '../../tenancy/organizations/organizations.ts';
import { removeSome } from './deleteOrganization.ts';

const fake = await startFakeGitHub();
const mailbox = await openMailbox();
const testApp = await startTestApp({
  GITHUB_API_URL: fake.url,
  SMTP_URL: mailbox.url,
  EMAIL_FROM: 'alerts@runcost.example',
});
const { app, clock, server, worker } = testApp;
const { newSession, newCode, signIn, browse } = browsersOf(testApp);
const path = '/api/v1/organization';

function deleteIt(organization: TestOrganization, confirm = 'Acme', token?: string): Promise<Answer> {
  return organization.send('DELETE', `${path}?confirm=${encodeURIComponent(confirm)}`, undefined, token);
}

async function tablesWithOrganizations(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where column_name = 'org_id' and table_schema = 'public' and table_type = 'BASE TABLE' order by 1
  `.execute(app.db);
  return rows.map(({ name }) => name);
}

/** How many rows of the organization each table has. */
async function rowsOf(orgId: string): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const table of await tablesWithOrganizations()) {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from ${sql.table(table)} where org_id = ${orgId}
    `.execute(app.db);
    counts.set(table, rows[0]!.count);
  }
  return counts;
}

/** Writes to every table. */
async function useEverything(organization: TestOrganization): Promise<void> {
  const { send } = organization;
  clock.set('2026-03-18T12:00:00Z');
  serveRuns(fake, 'acme/app', 2);
  await newMember(organization, 'owner');
  await newReadingSource(testApp, organization, fake);
  await newSession({ token: organization.token });
  await newCode(organization);
  const receiver = await openWebhookReceiver();
  const { id: webhookId } = await subscribe(organization, receiver, {
    events: ['alert.triggered', 'cost.threshold', 'workflow.completed'],
  });
  await spend(organization, 12, '2026-03-17');
  const at = clock.now();
  await submit(
    organization,
    newRun({ created_at: at, completed_at: at, jobs: [newJob({ labels: ['box'] })] }),
  );
  await newAlert(organization);
  await startBackfill(organization, ['acme/app']);
  await send('POST', '/api/v1/pricing/books', { name: 'Ours' });
  await send('POST', '/api/v1/pricing/rules', {
    match: 'label',
    pattern: 'box',
    runner_kind: 'linux_2_core',
  });
  const rates = [{ runner_kind: 'self_hosted', usd_per_minute: 0.001 }];
  await send('PUT', '/api/v1/pricing/shadow-rates', { rates });
  await send('POST', '/api/v1/reprices', { from: '2026-03-01', to: '2026-03-31' });
  await send('POST', '/api/v1/share-links', { query: 'days=7' });
  await importCsv(testApp, organization, bill(lineOf({})));
  await newExport(organization);
  clock.set('2026-03-19T00:06:00Z');
  await worker.processAll();
  const resend = { since: '2026-03-01T00:00:00Z', status: 'success' };
  await send('POST', `/api/v1/webhooks/${webhookId}/resends`, resend);
  await submit(organization, newRun({ jobs: [newJob({ labels: ['box-2'] })] }));
  await emitEvents(testApp, organization);
}

describe('a deleted organization', () => {
  test('leaves no row in any table, and changes no row of another organization', async () => {
    const [organization, other] = [await testApp.newOrganization(), await testApp.newOrganization()];
    await useEverything(other);
    await useEverything(organization);
    const before = await rowsOf(organization.orgId);
    const empty = [...before].filter(([, rows]) => rows === 0).map(([table]) => table);
    assert.ok(before.size - empty.length >= 30, `not filled: ${empty.join(', ')}`);
    await worker.processAll();
    const ofOther = await rowsOf(other.orgId);
    const held = await rowsOf(organization.orgId);

    const answer = await deleteIt(organization);
    assert.deepEqual(
      [answer.status, answer.body],
      [200, { data: { id: organization.orgId, deleted: true } }],
    );
    await worker.processAll();
    const left = [...(await rowsOf(organization.orgId))].filter(([, rows]) => rows > 0);
    assert.deepEqual(left, []);
    assert.deepEqual(await rowsOf(other.orgId), ofOther);
    assert.equal((await other.get('/api/v1/dashboard/summary')).status, 200);
    const [deleted, gone, ...more] = testApp
      .logged()
      .split('\n')
      .filter((line) => line.includes(`"organization":"${organization.orgId}"`))
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg !== 'request');
    const { name, actor, runs, jobs, cost, msg } = deleted;
    assert.deepEqual([msg, name, cost], ['organization deleted', 'Acme', '12.088']);
    assert.deepEqual([runs, jobs], [held.get('runs'), held.get('jobs')]);
    assert.match(actor, /^token tok_/);
    assert.deepEqual([gone.msg, more], ['removed all data of a deleted organization', []]);
  });

  test('lets nobody in and sends nothing from then on, before its data are removed', async () => {
    clock.set('2026-03-18T12:00:00Z');
    const organization = await testApp.newOrganization();
    await newMember(organization, 'owner');
    const source = await newSource(testApp, organization);
    const cookie = await newSession({ token: organization.token });
    const code = await newCode(organization);
    const receiver = await openWebhookReceiver();
    await subscribe(organization, receiver);
    await spend(organization, 12, '2026-03-17');
    await newAlert(organization);
    clock.set('2026-03-19T00:06:00Z');
    await checkDueAlerts(app);
    await emitEvents(testApp, organization);
    const mails = mailbox.mails.length;

    assert.equal((await deleteIt(organization)).status, 200);
    assert.ok((await rowsOf(organization.orgId)).get('runs')! > 0);
    assertProblem(await organization.get(path), 401, 'invalid_token');
    assertProblem(await browse(cookie, 'GET', sessionPath), 401, 'session_ended');
    assert.equal((await signIn({ code })).status, 401);
    assert.equal((await signIn({ token: organization.token })).status, 401);
    assert.ok([401, 404].includes((await source.deliver('workflow_run', gitHubRun({}))).status));
    const listed = await listOrganizations(app);
    assert.ok(!listed.some(({ orgId }) => orgId === organization.orgId));
    await assert.rejects(createRecorder(app).record(organization.orgId, [report]), /no such organization/);
    clock.set('2026-03-25T00:06:00Z');
    await worker.processAll();
    assert.deepEqual(receiver.received, []);
    assert.equal(mailbox.mails.length, mails);
  });

  test('is removed in steps, by any worker', async () => {
    const organization = await testApp.newOrganization();
    const { orgId } = organization;
    const jobs = (count: number) => Array.from({ length: count }, () => newJob());
    await submit(organization, newRun({ jobs: jobs(1_000) }));
    const { id } = await newWebhook(organization);
    await insertDeliveries(
      testApp,
      organization,
      id,
      Array.from({ length: 600 }, () => ({ status: 'success' as const })),
    );
    await sql`
      insert into delivery_attempts (org_id, delivery_id, number, reason, outcome, started_at, url)
      select org_id, id, 1, 'schedule', 'success', created_at, '' from deliveries where org_id = ${orgId}
    `.execute(app.db);
    const total = async () => [...(await rowsOf(orgId)).values()].reduce((sum, rows) => sum + rows, 0);
    await deleteIt(organization);
    for (let left = await total(); left > 1_500; left -= 1_000) {
      assert.equal(await total(), left, 'loses referring rows first, and they count');
      await removeSome(app);
    }
    await (await testApp.secondWorker()).processAll();
    assert.equal(await total(), 0);
    assert.equal(await removeSome(app), false);
  });

  test('needs an owner who repeats its name', async () => {
    const organization = await testApp.newOrganization();
    await submit(organization, newRun());
    for (const name of ['', 'acme', 'Acme ', 'Acme Inc']) {
      const answer = await deleteIt(organization, name);
      assertProblem(answer, 400, 'invalid_request');
      assert.equal(answer.body.errors[0].path, 'query.confirm');
    }
    assertProblem(await organization.send('DELETE', path), 400, 'invalid_request');
    const admin = await organization.newToken('admin');
    assertProblem(await deleteIt(organization, 'Acme', admin), 403, 'role_too_low');
    await worker.processAll();
    assert.equal((await organization.get('/api/v1/dashboard/summary')).body.total_runs, 1);
    const without = await request(server, { method: 'DELETE', url: `${path}?confirm=Acme` });
    assertProblem(without, 401, 'token_missing');
  });
});

const report = {
  provider: 'github',
  runId: '1',
  attempt: 1,
  repository: 'acme/api',
  isPrivate: null,
  workflowName: 'CI',
  workflowPath: null,
  event: null,
  branch: null,
  actor: null,
  pullRequest: null,
  state: null,
  jobs: [],
  observedAt: new Date(),
} as never;

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { Compile } from 'typebox/compile';
import { eventsOf } from '../../../test/harness/alerts.ts';
import { startTestApp } from '../../../test/harness/app.ts';
import { createExport, download, march, newExport, readExport } from '../../../test/harness/exports.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newRun, submit } from '../../../test/harness/submission.ts';
import { auditOf } from '../../../test/harness/webhooks.ts';

const testApp = await startTestApp();
const { worker, clock } = testApp;
const start = clock.now();

test('the worker writes an export, which then shows its file', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, newRun(), newRun());
  const created = await createExport(organization);
  assert.equal(created.status, 201, created.text);
  const { id, ...shown } = created.body.data;
  assert.match(id, /^exp_[0-9a-f]{20}$/);
  assert.deepEqual(shown, {
    dataset: 'jobs',
    version: null,
    format: 'csv',
    from: '2026-03-01T00:00:00.000Z',
    to: '2026-03-19T00:00:00.000Z',
    rows: 0,
    bytes: 0,
    sha256: null,
    file_name: 'runcost-jobs-2026-03-01-to-2026-03-18.csv',
    download_url: null,
    expires_at: null,
    status: 'queued',
    progress: {
      done: 0,
      total: 2,
    },
    error: null,
    created_at: start.toISOString(),
    started_at: null,
    ended_at: null,
  });
  assertProblem(await organization.get(`/api/v1/exports/${id}/download`), 409, 'export_not_ready');
  await worker.processAll();
  const file = (await download(testApp, organization, id)).rawPayload;
  const ready = await readExport(organization, id);
  assert.deepEqual(ready, {
    id,
    ...shown,
    rows: 2,
    bytes: file.length,
    sha256: createHash('sha256').update(file).digest('hex'),
    download_url: `${testApp.app.publicUrl()}/api/v1/exports/${id}/download`,
    expires_at: new Date(start.getTime() + 864e5).toISOString(),
    status: 'done',
    progress: {
      done: 2,
      total: 2,
    },
    started_at: start.toISOString(),
    ended_at: start.toISOString(),
  });
  assert.deepEqual(
    (await auditOf(organization, id)).map(({ action }) => action),
    ['export.create'],
  );
});

test('sends the described event once', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, newRun());
  const id = await newExport(organization, { dataset: 'focus', format: 'parquet' });
  assert.deepEqual(await eventsOf(testApp, organization, 'export.ready'), []);
  await worker.processAll();
  await worker.processAll();
  const bodies = await eventsOf(testApp, organization, 'export.ready');
  assert.equal(bodies.length, 1);
  const { created_at, expires_at, download_url, bytes, sha256 } = await readExport(organization, id);
  assert.deepEqual(bodies[0].data, {
    export: {
      id,
      format: 'parquet',
      dataset: 'focus',
      rows: 1,
      bytes,
      sha256,
      created_at,
      expires_at,
      download_url,
    },
  });
  const types = (await organization.get('/api/v1/event-types')).body.data;
  const { schema } = types.find(({ name }: { name: string }) => name === 'export.ready');
  assert.deepEqual(Compile(schema as never).Errors(bodies[0]), []);
});

test('lists exports newest first, in pages', async () => {
  const organization = await testApp.newOrganization();
  const ids: string[] = [];
  for (const dataset of ['jobs', 'runs', 'daily']) {
    clock.forward(1);
    ids.unshift(await newExport(organization, { dataset }));
  }
  const { body } = await organization.get('/api/v1/exports', { per_page: 2 });
  assert.deepEqual(
    body.data.map(({ id }: { id: string }) => id),
    ids.slice(0, 2),
  );
  assert.deepEqual(body.pagination, { total: 3, page: 1, per_page: 2 });
  const second = await organization.get('/api/v1/exports', { per_page: 2, page: 2 });
  assert.equal(second.body.data[0].id, ids[2]);
  await worker.processAll();
});

describe('the request', () => {
  test('needs a dataset, a format and a window', async () => {
    const organization = await testApp.newOrganization();
    for (const [fields, paths] of [
      [{ dataset: 'costs' }, ['body.dataset']],
      [{ format: 'xlsx' }, ['body.format']],
      [{ from: 'yesterday' }, ['body.from']],
      [{ from: '2026-02-30' }, ['body.from']],
      [{ to: '2026-03-31T10:00:00' }, ['body.to']],
      [{ to: '' }, ['body.to']],
      [{ from: '2026-03-10', to: '2026-03-09' }, ['body.to']],
      [{ from: '2026-03-10T10:00:00Z', to: '2026-03-10T10:00:00Z' }, ['body.to']],
      [{ from: '2026-03-19', to: '2026-03-20' }, ['body.from']],
      [{ dataset: 'daily', from: '2026-03-10T10:00:00Z' }, ['body.from']],
      [{ dataset: 'daily', to: '2026-03-10T10:00:00Z' }, ['body.to']],
      [{ from: undefined }, ['body.from']],
      [{ since: '2026-03-10' }, ['body.since']],
    ] as const) {
      assertProblem(await createExport(organization, fields), 400, 'invalid_request', [...paths]);
    }
    assert.equal((await organization.get('/api/v1/exports')).body.pagination.total, 0);
  });

  test('includes the last day, but not the last instant', async () => {
    const organization = await testApp.newOrganization();
    const bounds = async (from: string, to: string) => {
      const { body } = await createExport(organization, { from, to });
      await organization.send('POST', `/api/v1/exports/${body.data.id}/cancel`);
      return [body.data.from, body.data.to, body.data.file_name];
    };
    assert.deepEqual(await bounds('2026-03-10', '2026-03-10'), [
      '2026-03-10T00:00:00.000Z',
      '2026-03-11T00:00:00.000Z',
      'runcost-jobs-2026-03-10-to-2026-03-10.csv',
    ]);
    assert.deepEqual(await bounds('2026-03-10T02:00:00+02:00', '2026-03-10T09:30:00Z'), [
      '2026-03-10T00:00:00.000Z',
      '2026-03-10T09:30:00.000Z',
      'runcost-jobs-2026-03-10T000000Z-to-2026-03-10T093000Z.csv',
    ]);
  });

  test("is cut to the plan's history without an error", async () => {
    const organization = await testApp.newOrganization({ plan: 'free' });
    await submit(organization, newRun({ created_at: '2026-02-17T00:00:00Z' }));
    const { body } = await createExport(organization, { from: '2020-01-01', to: '2030-01-01' });
    assert.equal(body.data.from, '2026-02-17T00:00:00.000Z');
    assert.equal(body.data.to, '2026-03-19T00:00:00.000Z');
    const before = await newExport(organization, { from: '2020-01-01', to: '2020-01-31' });
    await worker.processAll();
    const { status, rows } = await readExport(organization, before);
    assert.deepEqual([status, rows], ['done', 0]);
  });
});

test('at most three run at a time, and one that ends makes room', async () => {
  const organization = await testApp.newOrganization();
  const [first] = [
    await newExport(organization),
    await newExport(organization),
    await newExport(organization),
  ];
  const other = await testApp.newOrganization();
  assert.equal((await createExport(other)).status, 201);
  assertProblem(await createExport(organization), 409, 'too_many_exports');
  await organization.send('POST', `/api/v1/exports/${first}/cancel`);
  await newExport(organization);
  assertProblem(await createExport(organization), 409, 'too_many_exports');
  await worker.processAll();
  await newExport(organization);
  await worker.processAll();
});

test('at most three start from many simultaneous requests', async () => {
  const organization = await testApp.newOrganization();
  const answers = await Promise.all(Array.from({ length: 8 }, () => createExport(organization)));
  assert.equal(answers.filter(({ status }) => status === 201).length, 3);
  assert.equal(answers.filter(({ status }) => status === 409).length, 5);
  await worker.processAll();
});

test('can be cancelled until it ends, and then has no file', async () => {
  const organization = await testApp.newOrganization();
  const id = await newExport(organization);
  const cancelled = await organization.send('POST', `/api/v1/exports/${id}/cancel`);
  assert.equal(cancelled.status, 200, cancelled.text);
  assert.equal(cancelled.body.data.status, 'cancelled');
  assertProblem(await organization.get(`/api/v1/exports/${id}/download`), 404, 'export_has_no_file');
  assertProblem(await organization.send('POST', `/api/v1/exports/${id}/cancel`), 409, 'export_ended');
  await worker.processAll();
  assert.equal((await readExport(organization, id)).status, 'cancelled');
  assert.deepEqual(await eventsOf(testApp, organization, 'export.ready'), []);
  assert.deepEqual(
    (await auditOf(organization, id)).map(({ action }) => action),
    ['export.create', 'export.cancel'],
  );
});

test("answers 404 for an unknown id and for another organization's", async () => {
  const [organization, stranger] = [await testApp.newOrganization(), await testApp.newOrganization()];
  const id = await newExport(organization);
  await worker.processAll();
  for (const each of ['exp_0', 'task_1']) {
    assertProblem(await organization.get(`/api/v1/exports/${each}`), 404, 'export_not_found');
    assertProblem(await organization.get(`/api/v1/exports/${each}/download`), 404, 'export_not_found');
    assertProblem(await organization.send('POST', `/api/v1/exports/${each}/cancel`), 404, 'export_not_found');
  }
  assertProblem(await stranger.get(`/api/v1/exports/${id}`), 404, 'export_not_found');
  assertProblem(await stranger.get(`/api/v1/exports/${id}/download`), 404, 'export_not_found');
  assertProblem(await stranger.send('POST', `/api/v1/exports/${id}/cancel`), 404, 'export_not_found');
  assert.deepEqual((await stranger.get('/api/v1/exports')).body.data, []);
});

test('a viewer reads and downloads, a member creates', async () => {
  const organization = await testApp.newOrganization();
  const id = await newExport(organization);
  await worker.processAll();
  const viewer = { token: await organization.newToken('viewer', ['costs:read']) };
  assert.equal((await download(testApp, viewer, id)).statusCode, 200);
  const refused = await organization.send('POST', '/api/v1/exports', march, viewer.token);
  assertProblem(refused, 403, 'scope_missing');
  const member = await organization.newToken('member', ['exports:write']);
  assert.equal((await organization.send('POST', '/api/v1/exports', march, member)).status, 201);
  assert.equal((await download(testApp, { token: member }, id)).statusCode, 403);
  await worker.processAll();
});

test('after 24 hours all of the file is deleted, and the export says so', async () => {
  const organization = await testApp.newOrganization();
  await submit(organization, newRun());
  const [id, cancelled] = [await newExport(organization), await newExport(organization)];
  await worker.processAll();
  await organization.send('POST', `/api/v1/exports/${cancelled}/cancel`);
  const partsLeft = async () =>
    (
      await testApp.app.db
        .selectFrom('exportChunks')
        .select('number')
        .where('orgId', '=', organization.orgId)
        .execute()
    ).length;
  clock.forward(86_399);
  await worker.processAll();
  assert.equal((await download(testApp, organization, id)).statusCode, 200);
  clock.forward(1);
  const gone = await organization.get(`/api/v1/exports/${id}/download`);
  assertProblem(gone, 404, 'export_expired');
  assert.match(gone.body.detail, /until 2026-03-19T.*Create the export again/);
  assert.ok((await partsLeft()) > 0);
  await worker.processAll();
  assert.equal(await partsLeft(), 0);
  const { status, download_url, sha256 } = await readExport(organization, id);
  assert.deepEqual([status, download_url], ['done', null]);
  assert.match(sha256, /^[0-9a-f]{64}$/);
});

test('after 90 days the export is deleted, unless it is running', async () => {
  const organization = await testApp.newOrganization();
  const [done, cancelled] = [await newExport(organization), await newExport(organization)];
  await organization.send('POST', `/api/v1/exports/${cancelled}/cancel`);
  await worker.processAll();
  const underWay = await newExport(organization);
  await testApp.app.db
    .updateTable('tasks')
    .set({ dueAt: new Date(clock.now().getTime() + 200 * 86_400_000) })
    .where('id', '=', underWay)
    .execute();
  clock.forward(90 * 86_400);
  await worker.processAll();
  assert.equal((await organization.get('/api/v1/exports')).body.pagination.total, 3);
  clock.forward(1);
  await worker.processAll();
  const { body } = await organization.get('/api/v1/exports');
  assert.deepEqual(
    body.data.map(({ id }: { id: string }) => id),
    [underWay],
  );
  assertProblem(await organization.get(`/api/v1/exports/${done}`), 404, 'export_not_found');
});

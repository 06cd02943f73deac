import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { openObjectStorage } from '../../../test/harness/objectStorage.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { resealers } from '../../app.ts';
import { cliActor } from '../../platform/lib/actor.ts';
import { taskPoller } from '../../platform/work/tasks.ts';
import { doUpload, listUploads, uploadKind } from './uploads.ts';

const testApp = await startTestApp();
const storage = await openObjectStorage();
const path = '/api/v1/scheduled-exports';
const daily = {
  dataset: 'jobs',
  format: 'csv',
  frequency: 'daily',
  endpoint: storage.endpoint,
  bucket: 'costs',
  access_key_id: 'ours',
  secret_access_key: 'hidden-key',
};
const denied = { status: 403, code: 'AccessDenied', message: 'Access &amp; more denied.' };
const noTrouble = () => null;

let made = 0;
/** Creates a scheduled export with its own files. */
async function scheduled(organization: TestOrganization, fields: object = {}): Promise<string> {
  const { status, text, body } = await organization.send('POST', path, {
    ...daily,
    prefix: `org-${++made}`,
    ...fields,
  });
  assert.equal(status, 201, text);
  return body.data.id as string;
}

async function uploadsOf(organization: TestOrganization) {
  const { status, text, body } = await organization.get('/api/v1/export-uploads');
  assert.equal(status, 200, text);
  return body.data as {
    id: string;
    status: string;
    location: string;
    error: string | null;
    failures: number;
    next_attempt_at: string | null;
    period: { start: string };
    rows: number;
  }[];
}

const filesIn = (prefix: string) =>
  [...storage.files.keys()].filter((name) => name.startsWith(`costs/${prefix}/`)).toSorted();
const nameOf = (day: string, end = day) => `runcost-jobs-${day}-to-${end}.csv`;

describe('scheduled exports', () => {
  test('are managed by admins, never show their secret, and leave audit entries', async () => {
    const organization = await testApp.newOrganization();
    const { send } = organization;
    const id = await scheduled(organization, { enabled: false, prefix: '/finops/' });
    const listed = await organization.get(path);
    assert.doesNotMatch(listed.text, /hidden-key/);
    const { prefix, region, path_style: isPathStyle, next_at: nextAt } = listed.body.data[0];
    assert.deepEqual([prefix, region, isPathStyle, nextAt], ['finops', 'us-east-1', true, null]);
    const changed = await send('PUT', `${path}/${id}`, { secret_access_key: 'hidden-too', bucket: 'others' });
    assert.deepEqual([changed.status, changed.body.data.bucket], [200, 'others']);
    assert.deepEqual((await send('DELETE', `${path}/${id}`)).body.data, { id, deleted: true });
    assertProblem(await send('DELETE', `${path}/${id}`), 404, 'scheduled_export_not_found');
    assertProblem(await send('PUT', `${path}/${id}`, {}), 404, 'scheduled_export_not_found');
    assertProblem(await send('POST', `${path}/${id}/test`), 404, 'scheduled_export_not_found');
    assertProblem(await send('POST', '/api/v1/export-uploads/upl_1/repeat'), 404, 'export_upload_not_found');
    const audit = await organization.get('/api/v1/audit-log');
    assert.doesNotMatch(audit.text, /hidden/);
    assert.deepEqual(
      audit.body.data
        .map(({ action }: { action: string }) => action)
        .filter((action: string) => action.startsWith('scheduled')),
      ['scheduled_export.delete', 'scheduled_export.update', 'scheduled_export.create'],
    );
    const member = await organization.newToken('member');
    assertProblem(await send('POST', path, daily, member), 403, 'role_too_low');
  });

  test('keep the version of FOCUS until it or the dataset changes', async () => {
    const organization = await testApp.newOrganization();
    const id = await scheduled(organization, { dataset: 'focus', version: '1.4', enabled: false });
    const change = async (fields: object) => {
      const { status, text, body } = await organization.send('PUT', `${path}/${id}`, fields);
      assert.equal(status, 200, text);
      return [body.data.dataset, body.data.version];
    };
    assert.deepEqual(await change({ bucket: 'others' }), ['focus', '1.4']);
    assert.deepEqual(await change({ dataset: 'focus' }), ['focus', '1.4']);
    assert.deepEqual(await change({ version: '1.3' }), ['focus', '1.3']);
    assert.deepEqual(await change({ dataset: 'focus_billing_period' }), ['focus_billing_period', '1.4']);
    assert.deepEqual(await change({ dataset: 'jobs' }), ['jobs', null]);
    assertProblem(
      await organization.send('PUT', `${path}/${id}`, { version: '1.4' }),
      400,
      'invalid_request',
      ['body.version'],
    );
  });

  test('refuse what cannot work, at the field', async () => {
    const organization = await testApp.newOrganization();
    for (const [fields, at] of [
      [{ endpoint: 'https://10.0.0.1' }, 'body.endpoint'],
      [{ endpoint: 'https://169.254.169.254' }, 'body.endpoint'],
      [{ endpoint: `${storage.endpoint}/costs` }, 'body.endpoint'],
      [{ endpoint: 'ftp://storage.example' }, 'body.endpoint'],
      [{ endpoint: 'https://a:b@storage.example' }, 'body.endpoint'],
      [{ path_style: false }, 'body.path_style'],
      [{ bucket: 'Costs/../x' }, 'body.bucket'],
      [{ prefix: 'a/../b' }, 'body.prefix'],
      [{ access_key_id: 'a/b' }, 'body.access_key_id'],
      [{ secret_access_key: 'a\nb' }, 'body.secret_access_key'],
      [{ region: '' }, 'body.region'],
    ] as const) {
      const answer = await organization.send('POST', path, { ...daily, ...fields });
      assertProblem(answer, 400, 'invalid_request');
      assert.deepEqual([answer.body.errors[0].path], [at], answer.text);
      assert.doesNotMatch(answer.text, /pattern|\^\[/, 'in words');
    }
    for (let count = 0; count < 20; count++) await scheduled(organization, { enabled: false });
    assertProblem(await organization.send('POST', path, daily), 409, 'too_many_scheduled_exports');
  });

  test("another organization's token gets nothing", async () => {
    const organization = await testApp.newOrganization();
    const id = await scheduled(organization);
    await testApp.worker.processAll();
    const [upload] = await uploadsOf(organization);
    const other = await testApp.newOrganization();
    assert.deepEqual((await other.get(path)).body.data, []);
    assert.deepEqual(await uploadsOf(other), []);
    for (const [method, to, code] of [
      ['PUT', `${path}/${id}`, 'scheduled_export_not_found'],
      ['DELETE', `${path}/${id}`, 'scheduled_export_not_found'],
      ['POST', `${path}/${id}/test`, 'scheduled_export_not_found'],
      ['POST', `/api/v1/export-uploads/${upload!.id}/repeat`, 'export_upload_not_found'],
    ] as const) {
      assertProblem(await other.send(method, to, method === 'PUT' ? {} : undefined), 404, code);
    }
    assert.equal((await uploadsOf(organization)).length, 1);
  });

  test('a test writes a small file, or says why it cannot', async () => {
    const organization = await testApp.newOrganization();
    const id = await scheduled(organization, { enabled: false, prefix: 'tested' });
    const location = 'costs/tested/runcost-test.txt';
    const tested = await organization.send('POST', `${path}/${id}/test`);
    assert.deepEqual(tested.body.data, { location, written: true, error: null });
    assert.match(String(storage.files.get(location)), /^Runcost can write here/);
    storage.failing = () => denied;
    const failed = await organization.send('POST', `${path}/${id}/test`);
    storage.failing = noTrouble;
    const error = 'AccessDenied: Access & more denied.';
    assert.deepEqual(failed.body.data, { location, written: false, error });
  });
});

describe('uploads', () => {
  test('each period is uploaded once, also those that passed while no worker ran', async () => {
    testApp.clock.set('2026-03-18T12:00:00Z');
    const organization = await testApp.newOrganization();
    await submit(organization, newRun({ jobs: [newJob({ name: 'of the 18th' })] }));
    await scheduled(organization, { prefix: 'once' });
    await scheduled(organization, { prefix: 'once-a-month', frequency: 'monthly' });
    await testApp.worker.processAll();
    assert.deepEqual(filesIn('once'), [`costs/once/${nameOf('2026-03-17')}`], 'the latest that is over');
    testApp.clock.set('2026-03-19T01:59:00Z');
    await testApp.worker.processAll();
    assert.equal(filesIn('once').length, 1, 'late reports get two hours');
    testApp.clock.set('2026-03-21T02:00:00Z');
    const workers = [testApp.worker, await testApp.secondWorker()];
    await Promise.all(workers.map((worker) => worker.processAll()));
    const days = ['2026-03-17', '2026-03-18', '2026-03-19', '2026-03-20'];
    assert.deepEqual(
      filesIn('once'),
      days.map((day) => `costs/once/${nameOf(day)}`),
    );
    assert.deepEqual(filesIn('once-a-month'), [`costs/once-a-month/${nameOf('2026-02-01', '2026-02-28')}`]);
    const puts = storage.asked.filter((asked) => asked.startsWith('PUT costs/once/'));
    assert.equal(puts.length, days.length, puts.join());
    const csv = storage.files.get(`costs/once/${nameOf('2026-03-18')}`)!;
    assert.match(String(csv), /of the 18th/);
    assert.equal((await uploadsOf(organization)).filter(({ status }) => status === 'done').length, 5);
  });

  test('one that is turned on again begins with the current period', async () => {
    testApp.clock.set('2026-01-15T12:00:00Z');
    const organization = await testApp.newOrganization();
    const id = await scheduled(organization, { prefix: 'resumed', frequency: 'monthly' });
    const turn = (enabled: boolean) => organization.send('PUT', `${path}/${id}`, { enabled });
    await testApp.worker.processAll();
    const uploaded = async () => (await uploadsOf(organization)).map(({ period }) => period.start);
    assert.deepEqual(await uploaded(), ['2025-12-01']);
    await turn(false);
    await turn(true);
    await testApp.worker.processAll();
    assert.deepEqual(await uploaded(), ['2025-12-01'], 'the last file is not uploaded again');
    await turn(false);
    testApp.clock.set('2026-03-20T12:00:00Z');
    const resumed = await turn(true);
    assert.equal(resumed.body.data.next_at, '2026-04-01T02:00:00.000Z');
    await testApp.worker.processAll();
    assert.deepEqual(await uploaded(), ['2025-12-01']);
    // March is over, but its file is not due yet.
    testApp.clock.set('2026-04-01T01:00:00Z');
    await turn(false);
    await turn(true);
    testApp.clock.set('2026-04-01T02:00:00Z');
    await testApp.worker.processAll();
    assert.deepEqual(await uploaded(), ['2026-03-01', '2025-12-01']);
  });

  test('a failed one waits longer each time, shows the code, and goes at once to a changed bucket', async () => {
    testApp.clock.set('2026-03-18T12:00:00Z');
    const organization = await testApp.newOrganization();
    const id = await scheduled(organization, { prefix: 'failing' });
    storage.failing = (asked) =>
      asked.startsWith('PUT costs/failing') ? { ...denied, code: 'NoSuchBucket' } : null;
    const waits: number[] = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      await testApp.worker.processAll();
      const [{ error, failures, next_attempt_at: nextAt, status } = assert.fail()] =
        await uploadsOf(organization);
      assert.deepEqual([error, failures], ['NoSuchBucket: Access & more denied.', attempt + 1]);
      assert.equal(status, 'running');
      waits.push((new Date(nextAt!).getTime() - testApp.clock.now().getTime()) / 60_000);
      testApp.clock.set(nextAt!);
    }
    for (const [index, minutes] of [1, 5, 15].entries()) {
      assert.ok(waits[index]! >= minutes && waits[index]! <= minutes * 1.1, `${waits[index]} minutes`);
    }
    testApp.clock.forward(-60);
    await organization.send('PUT', `${path}/${id}`, { prefix: 'fixed' });
    await testApp.worker.processAll();
    const [{ status, error, location } = assert.fail()] = await uploadsOf(organization);
    const key = `costs/fixed/${nameOf('2026-03-17')}`;
    assert.deepEqual([status, error, location], ['done', null, key]);
    storage.failing = noTrouble;
  });

  test('one that fails for a week is given up, and can be repeated under the same key', async () => {
    testApp.clock.set('2026-03-18T12:00:00Z');
    const organization = await testApp.newOrganization();
    const id = await scheduled(organization, { prefix: 'given-up', frequency: 'monthly' });
    storage.failing = (asked) => (asked.includes('given-up') ? denied : null);
    for (let attempt = 0; attempt < 14; attempt++) {
      await testApp.worker.processAll();
      const [{ next_attempt_at: nextAt } = assert.fail()] = await uploadsOf(organization);
      if (nextAt) testApp.clock.set(nextAt);
    }
    const [{ id: uploadId, status, error } = assert.fail()] = await uploadsOf(organization);
    assert.deepEqual([status, error], ['failed', 'AccessDenied: Access & more denied.']);
    storage.failing = noTrouble;
    const repeat = () => organization.send('POST', `/api/v1/export-uploads/${uploadId}/repeat`);
    const [first, second] = [await repeat(), await repeat()];
    assert.equal(second.body.data.id, first.body.data.id, 'one that waits is not added twice');
    await testApp.worker.processAll();
    assert.deepEqual(filesIn('given-up'), [`costs/given-up/${nameOf('2026-02-01', '2026-02-28')}`]);
    await organization.send('DELETE', `${path}/${id}`);
    assertProblem(await repeat(), 409, 'scheduled_export_deleted');
  });

  test('a deleted scheduled export uploads no more', async () => {
    testApp.clock.set('2026-03-18T12:00:00Z');
    const organization = await testApp.newOrganization();
    const id = await scheduled(organization, { prefix: 'deleted' });
    storage.failing = (asked) => (asked.includes('deleted') ? denied : null);
    await testApp.worker.processAll();
    storage.failing = noTrouble;
    await organization.send('DELETE', `${path}/${id}`);
    testApp.clock.set('2026-03-19T12:00:00Z');
    await testApp.worker.processAll();
    assert.deepEqual(filesIn('deleted'), []);
    assert.equal((await uploadsOf(organization))[0]!.status, 'cancelled');
  });
});

describe('a file in parts', () => {
  const size = 50_000;
  const step = () =>
    taskPoller(testApp.app, uploadKind, doUpload(testApp.app, size)).run(new AbortController().signal);
  const key = (prefix: string) => `costs/${prefix}/${nameOf('2026-03-18')}`;
  async function begin(prefix: string) {
    testApp.clock.set('2026-03-18T12:00:00Z');
    await testApp.worker.processAll();
    const organization = await testApp.newOrganization();
    const jobs = Array.from({ length: 500 }, (_, index) => newJob({ name: `${index} `.padEnd(200, 'x') }));
    await submit(organization, newRun({ jobs }));
    testApp.clock.set('2026-03-19T03:00:00Z');
    await scheduled(organization, { prefix });
    storage.failing = (asked) => (asked.includes(prefix) ? denied : null);
    await testApp.worker.processAll();
    assert.match((await uploadsOf(organization))[0]!.error!, /^AccessDenied/);
    testApp.clock.forward(120);
    storage.failing = noTrouble;
    return organization;
  }
  const partsOf = (prefix: string) =>
    storage.asked.filter((asked) => asked.startsWith(`PUT costs/${prefix}`) && asked.includes('partNumber'))
      .length;

  test('goes on with its next part after a worker died, and begins again where the storage forgot it', async () => {
    const organization = await begin('parted');
    assert.ok(await step(), 'begins');
    assert.ok(await step(), 'sends the first part');
    const { rows: uploads } = await listUploads(
      { db: testApp.app.db, actor: cliActor(organization.orgId) },
      { page: 1, perPage: 1 },
    );
    const dies = () => Promise.reject(new Error('the worker died'));
    const { signal } = new AbortController();
    await assert.rejects(doUpload(testApp.app, size)(uploads[0]!, dies, signal), /the worker died/);
    assert.equal(partsOf('parted'), 2, 'the storage has a part that nobody knows of');
    const before = partsOf('parted');
    // The storage loses all parts, so the upload starts again.
    storage.failing = (asked) =>
      asked.includes('uploadId') && asked.includes('parted') && partsOf('parted') === before + 2
        ? { status: 404, code: 'NoSuchUpload', message: 'Gone.' }
        : null;
    while (await step());
    storage.failing = noTrouble;
    assert.match((await uploadsOf(organization))[0]!.error!, /^NoSuchUpload: Gone/);
    testApp.clock.forward(600);
    while (await step());
    const file = storage.files.get(key('parted'))!;
    assert.ok(file.length > 2 * size, `${file.length} bytes`);
    assert.equal(String(file).trim().split('\n').length, 501, 'a header and each row once');
    assert.equal((await uploadsOf(organization))[0]!.status, 'done');
  });

  test('begins again where the storage refuses its parts', async () => {
    const organization = await begin('refused');
    storage.failing = (asked) =>
      asked.startsWith('POST costs/refused') && asked.includes('uploadId')
        ? { status: 400, code: 'InvalidPart', message: 'A part is gone.' }
        : null;
    while (await step());
    storage.failing = noTrouble;
    assert.match((await uploadsOf(organization))[0]!.error!, /^InvalidPart/);
    assert.ok(storage.asked.some((asked) => asked.startsWith('DELETE costs/refused')));
    const before = partsOf('refused');
    testApp.clock.forward(600);
    while (await step());
    assert.equal(partsOf('refused'), 2 * before);
    assert.equal((await uploadsOf(organization))[0]!.status, 'done');
  });

  test('that is given up says so if its parts could not be removed', async () => {
    const organization = await begin('left');
    assert.ok(await step(), 'begins');
    assert.ok(await step(), 'sends the first part');
    storage.failing = (asked) => (asked.includes('left') ? denied : null);
    for (let attempt = 0; attempt < 14; attempt++) {
      while (await step());
      const [{ next_attempt_at: nextAt } = assert.fail()] = await uploadsOf(organization);
      if (nextAt) testApp.clock.set(nextAt);
    }
    storage.failing = noTrouble;
    const [{ status, error } = assert.fail()] = await uploadsOf(organization);
    assert.equal(status, 'failed');
    assert.match(
      error!,
      /^AccessDenied: .* The parts uploaded so far could not be removed\. Remove the unfinished/,
    );
  });
});

test('secrets are encrypted again with a new key', async () => {
  const organization = await testApp.newOrganization();
  await scheduled(organization, { enabled: false });
  const seen: string[] = [];
  await testApp.app.db.transaction().execute(async (tx) => {
    for (const reseal of resealers) {
      await reseal(tx, (sealed) => {
        seen.push(testApp.app.vault.open(sealed));
        return sealed;
      });
    }
  });
  assert.ok(seen.includes('hidden-key'), seen.join());
});

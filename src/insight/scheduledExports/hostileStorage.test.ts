import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { openObjectStorage } from '../../../test/harness/objectStorage.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { taskPoller } from '../../platform/work/tasks.ts';
import { scheduledExportPollers } from './planUploads.ts';
import { doUpload, uploadKind } from './uploads.ts';

const testApp = await startTestApp();
const path = '/api/v1/scheduled-exports';
const secret = 'hidden-key';

async function scheduled(organization: TestOrganization, fields: object): Promise<string> {
  const { status, text, body } = await organization.send('POST', path, {
    dataset: 'jobs',
    format: 'csv',
    frequency: 'daily',
    bucket: 'costs',
    access_key_id: 'ours',
    secret_access_key: secret,
    ...fields,
  });
  assert.equal(status, 201, text);
  return body.data.id as string;
}

test('a server that is no storage fails with its cause, and never sees or shows the secret', async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    request.resume();
    asked.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    const bucket = request.url!.split('/')[1];
    if (bucket === 'page')
      return response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>');
    if (bucket === 'moved') return response.writeHead(307, { location: 'http://169.254.169.254/x' }).end();
    response.writeHead(200, { etag: '"1"', 'content-length': 100 }).write('short');
    return setImmediate(() => response.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  after(() => server.close());
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const organization = await testApp.newOrganization();
  for (const [bucket, expected] of [
    ['page', /^127\.0\.0\.1:\d+: no ETag in its answer$/],
    ['moved', /^HTTP 307: 127\.0\.0\.1:\d+ answered 307 and redirects to 169\.254\.169\.254$/],
    ['short', /^127\.0\.0\.1:\d+: other side closed$/],
  ] as const) {
    const id = await scheduled(organization, { endpoint, bucket, enabled: false });
    const { body, text } = await organization.send('POST', `${path}/${id}/test`);
    assert.match(body.data.error, expected);
    assert.ok(!text.includes(secret));
  }
  assert.equal(asked.length, 3, 'no redirect is followed');
  assert.ok(![...asked, testApp.logged()].some((text) => text.includes(secret)));
});

test('a storage that gives a part no tag, or does not say that the file is whole, fails with its cause', async () => {
  const server = createServer((request, response) => {
    request.resume();
    const { url = '' } = request;
    if (url.includes('uploads=')) return response.end('<Result><UploadId>1</UploadId></Result>');
    if (!url.startsWith('/untagged/')) response.setHeader('etag', '"1"');
    return response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  after(() => server.close());
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { signal } = new AbortController();
  const plan = scheduledExportPollers(testApp.app).find(({ name }) => name.startsWith('plan '))!;
  const upload = taskPoller(testApp.app, uploadKind, doUpload(testApp.app, 50_000));
  for (const [bucket, expected] of [
    ['untagged', /^127\.0\.0\.1:\d+: no ETag in its answer/],
    ['unfinished', /^127\.0\.0\.1:\d+: no CompleteMultipartUploadResult in its answer/],
  ] as const) {
    const organization = await testApp.newOrganization();
    const completed_at = new Date(testApp.clock.now().getTime() - 86_400_000);
    const jobs = Array.from({ length: 300 }, (_, index) =>
      newJob({ name: `${index} `.padEnd(200, 'x'), started_at: completed_at, completed_at }),
    );
    await submit(organization, newRun({ jobs, created_at: completed_at }));
    await scheduled(organization, { endpoint, bucket });
    while (await plan.run(signal));
    while (await upload.run(signal));
    const { body } = await organization.get('/api/v1/export-uploads');
    assert.match(body.data[0].error, expected);
  }
});

test('a storage that hangs does not delay other organizations', async () => {
  const storage = await openObjectStorage();
  const { endpoint } = storage;
  const { signal } = new AbortController();
  const slow = await testApp.newOrganization();
  for (const prefix of ['hangs/one', 'hangs/two']) await scheduled(slow, { endpoint, prefix });
  const other = await testApp.newOrganization();
  await scheduled(other, { endpoint, prefix: 'goes-on' });
  const pollers = scheduledExportPollers(testApp.app);
  const [plan, upload, next] = pollers.filter(({ name }) => /^plan |: export upload$/.test(name));
  while (await plan!.run(signal));
  const hung: string[] = [];
  const [isHung, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  storage.failing = async (asked) => {
    if (!asked.includes('hangs')) return null;
    hung.push(asked);
    isHung.resolve();
    if (hung.length === 1) await goOn.promise;
    return { status: 403, code: 'AccessDenied', message: 'No.' };
  };
  const hanging = (async () => {
    while (await upload!.run(signal));
  })();
  await isHung.promise;
  while (await next!.run(signal));
  const { body } = await other.get('/api/v1/export-uploads');
  assert.equal(body.data[0].status, 'done');
  assert.equal(hung.length, 1, 'one at a time of an organization');
  goOn.resolve();
  await hanging;
  assert.equal(hung.length, 2);
});

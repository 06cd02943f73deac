/** Scheduled exports with a real storage, which checks signatures: OpenStack Swift with its S3 API. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { AwsV4Signer } from 'aws4fetch';
import { doUpload, uploadKind } from '../src/insight/scheduledExports/uploads.ts';
import { taskPoller } from '../src/platform/work/tasks.ts';
import { startTestApp } from './harness/app.ts';
import { newJob, newRun, submit } from './harness/submission.ts';
import { needs } from './server/installed.ts';
import { hasSwift, startSwift } from './server/startSwift.ts';

if (!hasSwift) {
  const packages = 'swift-proxy swift-account swift-container swift-object';
  test('uploads to Swift', needs(hasSwift, 'Swift', packages), () => {});
} else {
  const swift = await startSwift();
  after(swift.stop);
  const keys = { accessKeyId: 'acme:writer', secretAccessKey: 'secret-of-acme', region: 'us-east-1' };
  const ask = async (method: string, path: string) => {
    const url = `${swift.endpoint}/${path}`;
    const { headers } = await new AwsV4Signer({ method, url, ...keys, service: 's3' }).sign();
    const answer = await fetch(url, { method, headers });
    assert.equal(answer.status, 200, `${method} ${path}`);
    return answer;
  };
  const testApp = await startTestApp();
  const organization = await testApp.newOrganization();
  const path = '/api/v1/scheduled-exports';
  const fields = {
    dataset: 'jobs',
    format: 'csv',
    frequency: 'daily',
    region: 'us-east-1',
    endpoint: swift.endpoint,
    bucket: 'costs',
    prefix: 'team=ci/x',
    enabled: false,
    access_key_id: keys.accessKeyId,
    secret_access_key: keys.secretAccessKey,
  };
  const { body } = await organization.send('POST', path, fields);
  const { id } = body.data;
  const change = (changes: object) => organization.send('PUT', `${path}/${id}`, changes);
  const tested = async () =>
    (await organization.send('POST', `${path}/${id}/test`)).body.data.error as string;

  test('says what the storage says', async () => {
    assert.match(await tested(), /^NoSuchBucket: The specified bucket does not exist/);
    await ask('PUT', 'costs');
    assert.equal(await tested(), null);
    const guest = { access_key_id: 'acme:guest', secret_access_key: 'secret-of-guest' };
    for (const [changes, error] of [
      [{ secret_access_key: 'another' }, /^SignatureDoesNotMatch: /],
      [{ region: 'eu-west-9' }, /^AuthorizationHeaderMalformed: .*expecting 'us-east-1'/],
      [guest, /^AccessDenied: /],
    ] as const) {
      await change(changes);
      assert.match(await tested(), error);
      await change(fields);
    }
  });

  test('uploads a file at once and in parts, whole and under stable keys', async () => {
    const jobs = Array.from({ length: 300 }, (_, index) => newJob({ name: `${index} `.padEnd(200, 'ä') }));
    await submit(organization, newRun({ jobs }));
    await change({ enabled: true });
    testApp.clock.set('2026-03-19T12:00:00Z');
    await testApp.worker.processAll();
    const key = 'costs/team%3Dci/x/runcost-jobs-2026-03-18-to-2026-03-18.csv';
    const whole = await (await ask('GET', key)).text();
    assert.equal(whole.trim().split('\n').length, 301);
    const uploads = async () => (await organization.get('/api/v1/export-uploads')).body.data;
    const [upload] = await uploads();
    assert.deepEqual([upload.status, upload.bytes], ['done', Buffer.byteLength(whole)]);
    await organization.send('POST', `/api/v1/export-uploads/${upload.id}/repeat`);
    const { run } = taskPoller(testApp.app, uploadKind, doUpload(testApp.app, 50_000));
    while (await run(new AbortController().signal));
    const answer = await ask('GET', key);
    // The tag of a multipart file ends with the number of its parts.
    const parts = Math.ceil(upload.bytes / 50_000);
    assert.match(answer.headers.get('etag')!, new RegExp(`-${parts}"$`));
    assert.equal(await answer.text(), whole);
    const listed = await (await ask('GET', 'costs?list-type=2')).text();
    assert.equal(listed.match(/<Key>/g)!.length, 2, 'the exported day and the test');
  });
}

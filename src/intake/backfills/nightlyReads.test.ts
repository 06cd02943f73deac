import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { startTestApp } from '../../../test/harness/app.ts';
import { deleteEarlierSources, newReadingSource } from '../../../test/harness/backfills.ts';
import { nightlyPoller } from './nightlyReads.ts';

const testApp = await startTestApp();
const { app, clock } = testApp;
const { signal } = new AbortController();

beforeEach(async () => {
  await deleteEarlierSources(testApp);
  clock.set('2026-03-18T12:00:00Z');
  await newReadingSource(testApp, await testApp.newOrganization(), { token: 'github-token' });
  clock.set('2026-03-19T07:00:00Z');
});

for (const table of ['hosted_runner_reads', 'pull_request_reads'] as const) {
  const runWith = (read: () => Promise<void>) =>
    nightlyPoller(app, { what: 'what is read', table, claimMilliseconds: 300_000, read }).run(signal);
  let reads = 0;
  const count = () => Promise.resolve(void reads++);
  beforeEach(() => {
    reads = 0;
  });

  test(`${table}: once a night`, async () => {
    await runWith(count);
    await runWith(count);
    assert.equal(reads, 1);
    clock.forward(86_400);
    await runWith(count);
    assert.equal(reads, 2);
  });

  test(`${table}: a read that fails waits for the next night`, async () => {
    await assert.rejects(
      runWith(() => Promise.reject(new Error('out of order'))),
      /what is read could not be read/,
    );
    clock.forward(3_600);
    await runWith(count);
    assert.equal(reads, 0);
    clock.forward(86_400);
    await runWith(count);
    assert.equal(reads, 1);
  });

  test(`${table}: a read whose worker was killed happens later in the same night`, async () => {
    await new Promise<void>((begun) => {
      void runWith(() => {
        begun();
        return new Promise<void>(() => {});
      });
    });
    clock.forward(299);
    await runWith(count);
    assert.equal(reads, 0);
    clock.forward(1);
    await runWith(count);
    assert.equal(reads, 1);
  });
}

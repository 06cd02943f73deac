import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { request, sharedTestApp, startTestApp } from '../../../test/harness/app.ts';
import { ci, workflow, type File } from '../../../test/harness/estimates.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { cliActor } from '../../platform/lib/actor.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { buildServer } from '../../server.ts';
import { createEstimateThreads, maxWaiting } from './threads.ts';

const testApp = await sharedTestApp();
const path = '/api/v1/estimates';
const small = ci('  test: { runs-on: ubuntu-latest }\n');
const bodyOf = (files: File[]) => ({ repository: 'acme/api', base: { files }, head: { files } });

function requestOf(address: string, token: string, body: object, signal: AbortSignal): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return fetch(`${address}${path}`, { method: 'POST', headers, body: JSON.stringify(body), signal });
}

test('other requests are answered while the files of a stranger are read', async () => {
  // Each takes a second or more to read, in one piece.
  const hostile = Array.from({ length: 2 }, (_, file) => {
    const keys = Array.from({ length: 17_000 }, (__, index) => `k${index}: [${file}]`).join('\n  ');
    return workflow(`on: push\njobs:\n  ${keys}`, String(file));
  });
  const [organization, other] = [await testApp.newOrganization(), await testApp.newOrganization()];
  const address = await testApp.listen();
  const left = new AbortController();
  let isDone = false;
  const asked = requestOf(address, organization.token, bodyOf(hostile), left.signal).finally(
    () => (isDone = true),
  );
  for (let count = 0; count < 20; count++) {
    assert.equal((await other.get('/api/v1/costs')).status, 200);
    assert.equal(isDone, false);
  }
  const ofOther = await other.send('POST', path, bodyOf([small]));
  assert.deepEqual([ofOther.status, isDone], [200, false]);
  left.abort();
  await assert.rejects(asked);
});

test('an estimate ends when its caller leaves', async () => {
  const own = await startTestApp();
  const organization = await own.newOrganization();
  const address = await own.listen();
  const [started, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  own.app.estimates.estimate = (_ctx, _question, { signal } = {}) => {
    signal!.addEventListener('abort', () => ended.resolve());
    started.resolve();
    return new Promise(() => {});
  };
  const left = new AbortController();
  const asked = assert.rejects(requestOf(address, organization.token, bodyOf([small]), left.signal));
  await started.promise;
  left.abort();
  await ended.promise;
  await asked;
});

test('files that are too large together are refused', async () => {
  const organization = await testApp.newOrganization();
  const files = Array.from({ length: 9 }, (_, index) => ({
    path: `${index}.yml`,
    content: ' '.repeat(250_000),
  }));
  const answer = await organization.send('POST', path, bodyOf(files));
  assertProblem(answer, 400, 'invalid_request', ['body.base.files']);
  assert.match(answer.text, /must have at most 2 MiB together/);
});

describe('threads', () => {
  const thread = `
    import { parentPort } from 'node:worker_threads';
    parentPort.on('message', ({ question: { repository } }) => {
      if (repository === 'acme/endless') for (;;);
      if (repository === 'acme/large') for (let all = null; ; ) all = { all };
      if (repository === 'acme/reading') return parentPort.postMessage({ type: 'read', id: 1, name: 'repositoryNames' });
      if (repository === 'acme/broken') throw new Error('broken');
      if (repository === 'acme/refused')
        return parentPort.postMessage({ type: 'refused', error: { kind: 'invalid', code: 'c', message: 'no', errors: [] } });
      parentPort.postMessage({ type: 'done', answer: repository });
    });`;
  const open = (seconds: number, waitSeconds = 600, db = testApp.app.db) => {
    const url = new URL(`data:text/javascript,${encodeURIComponent(thread)}`);
    const threads = createEstimateThreads(url, { seconds, waitSeconds });
    after(() => threads.close());
    return (orgId: string, name: string, options: Parameters<typeof threads.estimate>[2] = {}) => {
      const ctx = { ...testApp.app, db, plan: 'team' as const, actor: cliActor(orgId) };
      return threads.estimate(ctx, { ...bodyOf([]), repository: `acme/${name}` }, options);
    };
  };
  const codeOf = (asked: Promise<unknown>) =>
    asked.then(
      () => 'done',
      (error: unknown) => (error instanceof PublicError ? error.code : String(error)),
    );

  test('do one estimate of an organization at a time, and let a few others wait', async () => {
    const estimate = open(600);
    const left = new AbortController();
    const endless = codeOf(estimate('a', 'endless', { signal: left.signal }));
    const waiting = Array.from({ length: maxWaiting }, () => codeOf(estimate('a', 'app')));
    assert.equal(await codeOf(estimate('a', 'app')), 'rate_limited');
    const patient = codeOf(estimate('a', 'app', { isPatient: true }));
    // Another organization does not wait.
    assert.equal(await codeOf(estimate('b', 'app')), 'done');
    left.abort();
    assert.equal(await endless, 'caller_left');
    assert.deepEqual(new Set(await Promise.all([...waiting, patient])), new Set(['done']));
  });

  test('refuse after a while what waits or takes too long', async () => {
    const estimate = open(0.05);
    assert.equal(await codeOf(estimate('a', 'endless')), 'estimate_too_large');
    const impatient = open(600, 0.05);
    const left = new AbortController();
    const endless = codeOf(impatient('a', 'endless', { signal: left.signal }));
    // Others may hold the threads, so nothing is said of the organization.
    await assert.rejects(impatient('a', 'app'), {
      code: 'rate_limited',
      message: 'Earlier estimates are not done yet. Wait 10 seconds.',
    });
    left.abort();
    assert.equal(await endless, 'caller_left');
  });

  test('fail if the thread cannot get what it reads', async () => {
    const rows = [{ repository: () => 'no data' }];
    const db = testApp.app.db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: ({ result }) => Promise.resolve({ ...result, rows }),
    });
    const orgId = '00000000-0000-4000-8000-000000000000';
    assert.match(await codeOf(open(600, 600, db)(orgId, 'reading')), /^DataCloneError/);
  });

  test('report a refusal, a crash and a lack of memory, and go on', async () => {
    const estimate = open(600);
    assert.equal(await codeOf(estimate('a', 'refused')), 'c');
    assert.equal(await codeOf(estimate('a', 'broken')), 'Error: broken');
    assert.equal(await codeOf(estimate('a', 'large')), 'estimate_too_large');
    assert.equal(await codeOf(estimate('a', 'app')), 'done');
  });
});

test('an organization with enough waiting estimates gets 429 with Retry-After', async () => {
  const own = await startTestApp();
  const organization = await own.newOrganization();
  const url = new URL(`data:text/javascript,${encodeURIComponent('for (;;);')}`);
  const threads = createEstimateThreads(url);
  own.app.estimates = threads;
  const ctx = { ...own.app, plan: 'team' as const, actor: cliActor(organization.orgId) };
  const left = new AbortController();
  const asked = Array.from({ length: 1 + maxWaiting }, () =>
    threads.estimate(ctx, bodyOf([]), { signal: left.signal }),
  );
  const server = await buildServer(own.app);
  after(() => server.close());
  const headers = { authorization: `Bearer ${organization.token}` };
  const answer = await request(server, { method: 'POST', url: path, headers, body: bodyOf([small]) });
  assertProblem(answer, 429, 'rate_limited');
  assert.equal(answer.headers['retry-after'], '10');
  left.abort();
  await Promise.allSettled(asked);
  await threads.close();
});

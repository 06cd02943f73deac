import assert from 'node:assert/strict';
import { test } from 'node:test';
import { completed, faultsOf } from './harness/gitHubDescription.ts';

const path = '/repos/acme/app/actions/runs/7/jobs';
const comment = { id: 1, user: null, body: 'Costs $2 more' };

function faultsOfCompleted(body: object): string[] {
  return faultsOf({ method: 'GET', path, status: 200, body: completed('GET', path, 200, body) });
}

test('a completed answer follows the description, and keeps what it has', () => {
  const body = { total_count: 1, jobs: [{ id: 5, name: 'build', steps: [], conclusion: null }] };
  assert.deepEqual(faultsOfCompleted(body), []);
  const { jobs } = completed('GET', path, 200, body) as { jobs: Record<string, unknown>[] };
  assert.equal(jobs[0]!['name'], 'build');
  assert.equal(jobs[0]!['conclusion'], null);
  assert.equal(typeof jobs[0]!['run_url'], 'string');
});

test('a missing, a wrong and an unknown field are faults, with their place', () => {
  const job = { id: '5', conclusion: 'great', labels: null, runner: 'x' };
  const faults = faultsOfCompleted({ jobs: [job], total_count: 1 }).join('\n');
  for (const place of ['/jobs/0/id must be integer', '/jobs/0/conclusion must be', '/jobs/0/labels must be'])
    assert.ok(faults.includes(place), `${place} in ${faults}`);
  assert.match(faults, /\/jobs\/0\/runner is a field that GitHub does not have/);
  assert.match(faultsOf({ method: 'GET', path, status: 200, body: {} }).join(), /required properties/);
});

test('an unknown operation, an undescribed status and a body without a place are faults', () => {
  const faults = (method: string, status: number, body: unknown) =>
    faultsOf({ method, path, status, body }).length;
  assert.equal(faults('PUT', 200, {}), 1);
  assert.equal(faults('GET', 201, {}), 1);
  assert.equal(faults('GET', 304, null), 0);
  assert.equal(faults('GET', 304, {}), 1);
  assert.equal(faults('GET', 502, { message: 'Bad gateway' }), 0);
  assert.equal(faults('GET', 502, { text: 'Bad gateway' }), 1);
});

test('the body of a request is checked too', () => {
  const post = { method: 'POST', path: '/repos/acme/app/issues/7/comments', status: 201 };
  const body = completed(post.method, post.path, post.status, comment);
  assert.deepEqual(faultsOf({ ...post, body, sent: { body: 'Costs $2 more' } }), []);
  assert.match(faultsOf({ ...post, body, sent: { text: 'x' } }).join('\n'), /^request of POST .*body/m);
});

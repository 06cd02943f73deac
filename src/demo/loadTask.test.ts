import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startTestApp, type TestOrganization } from '../../test/harness/app.ts';
import { assertProblem } from '../../test/harness/problem.ts';
import { demoPollers } from './loadTask.ts';

const { app, clock, newOrganization } = await startTestApp();
const path = '/api/v1/organization/demo';
const size = { days: 30, runs: 700, seed: 1 };

const work = (program = app) => demoPollers(program, size)[0]!.run(new AbortController().signal);
const loadOf = async (organization: TestOrganization) => (await organization.get(path)).body.data;

async function figuresOf(organization: TestOrganization) {
  const figures = [];
  for (const [name, query] of [
    ['costs', { days: 60, metric: 'full_cost', group_by: 'product,repository' }],
    ['dashboard/trends', { days: 60 }],
    ['bills/months', {}],
    ['pull-requests', {}],
  ] as const) {
    const { status, body, text } = await organization.get(`/api/v1/${name}`, query);
    assert.equal(status, 200, text);
    figures.push(body.data);
  }
  return figures;
}

describe('the demo in an organization without runs', async () => {
  const [whole, killed, other] = [await newOrganization(), await newOrganization(), await newOrganization()];

  test('is loaded once, however often it is asked for', async () => {
    assert.equal(await loadOf(whole), null);
    const [first, second] = [await whole.send('POST', path), await whole.send('POST', path)];
    assert.deepEqual([first.status, second.status], [202, 202]);
    assert.equal(second.body.data.id, first.body.data.id);
    assert.equal(first.body.data.status, 'queued');
    assert.equal((await killed.send('POST', path)).status, 202);
    const { body } = await whole.get('/api/v1/audit-log', { kind: 'demo' });
    assert.deepEqual(
      body.data.map(({ action, target }: Record<string, string>) => [action, target]),
      [['demo.load', first.body.data.id]],
    );
    assert.equal(await work(), true);
    const { status, progress, error } = await loadOf(whole);
    assert.deepEqual([status, progress, error], ['done', { done: 700, total: 700 }, null]);
    assert.equal(await loadOf(other), null);
  });

  test('comes to the same after a kill in the middle', async () => {
    // A killed process leaves a batch that never ends, and a lease that runs out.
    let batches = 0;
    await new Promise<void>((killedNow) => {
      const record: typeof app.recorder.record = (...asked) => {
        if (batches++ === 0) return app.recorder.record(...asked);
        killedNow();
        return new Promise(() => {});
      };
      void work({ ...app, recorder: { record } });
    });
    const { status, progress } = await loadOf(killed);
    assert.deepEqual([status, progress], ['running', { done: 500, total: 700 }]);
    assert.equal(await work(), false, 'another worker has it');
    clock.set('2026-03-18T12:02:00Z');
    assert.equal(await work(), true);
    assert.equal((await loadOf(killed)).status, 'done');
    assert.deepEqual(await figuresOf(killed), await figuresOf(whole));
  });

  test('is refused where there are runs, and possible again when they are deleted', async () => {
    assertProblem(await whole.send('POST', path), 409, 'organization_has_runs');
    const choice = { provider: 'github', from: '2026-02-17', to: '2026-03-18' };
    let answer;
    do answer = await whole.send('POST', '/api/v1/runs/delete', choice);
    while (answer.body.data.has_more);
    assert.equal((await whole.send('POST', path)).status, 202);
  });
});

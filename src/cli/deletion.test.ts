import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsOf, type Json } from '../../test/harness/commands.ts';
import { newStorage, serveHere } from '../../test/harness/program.ts';

const settings = await newStorage();
const { json, run: runs } = commandsOf('run', settings);

const acme: Json = await json('org', 'create', '--name', 'acme');
const server = await serveHere(settings);

async function ask(path: string, body?: object): Promise<{ status: number; answer: Json }> {
  const response = await fetch(`${server.address}/api/v1/${path}`, {
    headers: { authorization: `Bearer ${acme.token}`, 'content-type': 'application/json' },
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, answer: await response.json() };
}

/** A day before the year that the plan shows. */
const start = '2024-03-01T10:00:00Z';
const runOf = (run_id: string, fields: object = {}) => ({
  run_id,
  provider: 'ci',
  workflow_name: 'CI',
  repo_name: 'acme/api',
  status: 'completed',
  conclusion: 'success',
  created_at: start,
  ...fields,
  jobs: [
    {
      job_id: '1',
      runner: 'linux_2_core',
      started_at: start,
      completed_at: '2024-03-01T10:05:00Z',
    },
  ],
});
const reported = await ask('runs', {
  runs: [runOf('1'), runOf('2'), runOf('3', { repo_name: 'acme/web' }), runOf('4', { provider: 'other' })],
});
assert.equal(reported.status, 200, JSON.stringify(reported.answer));
const ofAcme = ['--org', acme.org_id as string];

test('counts runs, deletes them after confirmation, and names unknown ids', async () => {
  const counted = await runs('delete', '--repo', 'acme/api', '--provider', 'ci', ...ofAcme);
  assert.deepEqual(counted, {
    code: 0,
    stdout: '2 runs with 2 jobs and a cost of $0.08\n',
    stderr: 'Nothing is deleted yet. Use --yes to delete them.\n',
  });
  const days = ['--from', '2024-03-01', '--to', '2024-03-01'];
  assert.deepEqual(
    await json('run', 'delete', '--repo', 'api', '--provider', 'ci', ...days, '--yes', ...ofAcme),
    {
      runs: 2,
      jobs: 2,
      cost: 0.08,
      deleted: true,
      unknown_ids: [],
    },
  );
  const again = await runs('delete', 'run_ci_1', 'run_ci_2', ...ofAcme);
  const unknown = 'error: These runs are not recorded: run_ci_1, run_ci_2\n';
  assert.deepEqual(again, { code: 4, stdout: '', stderr: unknown });
  const one = await runs('delete', 'run_ci_3', 'run_ci_1', '--yes', ...ofAcme);
  assert.deepEqual(one, {
    code: 4,
    stdout: '1 run with 1 job and a cost of $0.04: deleted\n',
    stderr: 'error: This run is not recorded: run_ci_1\n',
  });
  assert.equal((await ask('runs/run_other_4')).status, 200);
  assert.equal((await ask('runs/run_ci_3')).status, 404);
});

test('deleting runs needs more than days', async () => {
  for (const [args, message] of [
    [[], /^error: The command must name ids, a provider, a repo or a workflow_id$/m],
    [['--from', '2024-03-01', '--yes'], /^error: The command must name ids, /],
    [['--repo', 'acme/api', '--from', '2024-02-30'], /--from must/],
    [['--repo', 'acme/api', '--from', '2024-03-02', '--to', '2024-03-01'], /--to must not be before/],
  ] as const) {
    const { code, stdout, stderr } = await runs('delete', ...args, ...ofAcme);
    assert.deepEqual([code, stdout], [2, ''], args.join(' '));
    assert.match(stderr, message);
  }
  assert.equal((await ask('runs/run_other_4')).status, 200);
});

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandsOf, type Json } from '../../test/harness/commands.ts';
import { newStorage, runCommand, serveHere } from '../../test/harness/program.ts';

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

test('an organization is deleted with its exact name, after all its days are saved', async () => {
  const own = await newStorage();
  await runCommand(['org', 'create', '--name', 'Old', '--json'], own);
  const { address } = await serveHere(own);
  const { stdout: token } = await runCommand(['token', 'create', '--name', 'ci', '--role', 'owner'], own);
  const day = '2019-03-04';
  const job = {
    job_id: '1',
    runner: 'linux_2_core',
    started_at: `${day}T10:00:00Z`,
    completed_at: `${day}T10:05:00Z`,
  };
  const run = {
    run_id: '1',
    workflow_name: 'CI',
    repo_name: 'acme/api',
    status: 'completed',
    conclusion: 'success',
  };
  const sent = await fetch(`${address}/api/v1/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token.trim()}`, 'content-type': 'application/json' },
    body: JSON.stringify({ runs: [{ ...run, created_at: job.started_at, jobs: [job] }] }),
  });
  assert.ok(sent.ok, await sent.text());
  const folder = join(own.DATA_DIR, 'last');
  const remove = (...args: string[]) => runCommand(['org', 'delete', '--export', folder, ...args], own);
  const wrong = await remove('--confirm', 'Young');
  assert.deepEqual([wrong.code, existsSync(folder)], [2, false]);
  const removed = await remove('--confirm', 'Old');
  assert.equal(removed.code, 0, removed.stderr);
  const jobs = removed.stdout.split('\n').find((file) => file.includes('jobs'))!;
  assert.match(readFileSync(jobs, 'utf8'), /2019-03-04/);
  assert.match((await runCommand(['org', 'list'], own)).stderr, /There are none/);
});

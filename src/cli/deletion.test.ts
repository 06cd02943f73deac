import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandsOf, type Json } from '../../test/harness/commands.ts';
import { newStorage, runCommand, serveHere, spawnCommand } from '../../test/harness/program.ts';

const settings = await newStorage();
const { json } = commandsOf('run', settings);
const { run: runs } = commandsOf('run', settings);
const { run: org } = commandsOf('org', settings);

const server = await serveHere(settings);
const acme: Json = await json('org', 'create', '--name', 'acme');

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
    },
  );
  const again = await runs('delete', 'run_ci_1', 'run_ci_2', ...ofAcme);
  const unknown = 'error: These runs are not recorded: run_ci_1, run_ci_2\n';
  assert.deepEqual(again, { code: 1, stdout: '', stderr: unknown });
  const one = await runs('delete', 'run_ci_3', 'run_ci_1', '--yes', ...ofAcme);
  assert.deepEqual(one, {
    code: 1,
    stdout: '1 run with 1 job and a cost of $0.04: deleted\n',
    stderr: 'error: This run is not recorded: run_ci_1\n',
  });
  assert.equal((await ask('runs/run_other_4')).status, 200);
  assert.equal((await ask('runs/run_ci_3')).status, 404);
});

test('deleting runs needs more than days', async () => {
  for (const [args, message] of [
    [[], /Give ids, --provider, --repo or --workflow/],
    [['--from', '2024-03-01', '--yes'], /Give ids, --provider, --repo or --workflow/],
    [['--repo', 'acme/api', '--from', '2024-02-30'], /--from must be a day/],
    [['--repo', 'acme/api', '--from', '2024-03-02', '--to', '2024-03-01'], /--to must not be before --from/],
  ] as const) {
    const { code, stdout, stderr } = await runs('delete', ...args, ...ofAcme);
    assert.deepEqual([code, stdout], [1, ''], args.join(' '));
    assert.match(stderr, message);
  }
  assert.equal((await ask('runs/run_other_4')).status, 200);
});

test('does not delete an organization without its name, or if the export fails', async () => {
  const blocked = join(settings.DATA_DIR, 'a file');
  writeFileSync(blocked, '');
  for (const [args, message] of [
    [[], /--confirm/],
    [['--confirm', 'Acme'], /--confirm must be its name: acme/],
    [['--confirm', 'acme', '--export', join(blocked, 'folder')], /--export cannot be written to: ENOTDIR/],
    [
      ['--confirm', 'acme', '--export', join(settings.DATA_DIR, 'no', 'folder')],
      /--export cannot be written to: ENOENT/,
    ],
  ] as const) {
    const { code, stdout, stderr } = await org('delete', ...ofAcme, ...args);
    assert.deepEqual([code, stdout], [1, ''], args.join(' '));
    assert.match(stderr, message);
    assert.doesNotMatch(stderr, /at .*\.ts/);
  }
  const withoutId = await org('delete', '--confirm', 'acme');
  assert.equal(withoutId.code, 1);
  assert.equal((await ask('runs/run_other_4')).status, 200);
});

test('exports an organization, then deletes it beside a running server', async () => {
  const folder = join(settings.DATA_DIR, 'last export');
  const options = [...ofAcme, '--confirm', 'acme', '--export', folder, '--json'];
  const { stdout, stderr } = await spawnCommand(['org', 'delete', ...options], settings);
  const deleted = JSON.parse(stdout);
  assert.deepEqual([deleted.org_id, deleted.deleted], [acme.org_id, true]);
  const logged = JSON.parse(stderr.split('\n')[0]!);
  assert.deepEqual(
    ['level', 'organization', 'name', 'actor', 'runs', 'jobs', 'cost'].map((field) => logged[field]),
    [30, acme.org_id, 'acme', 'cli', 1, 1, '0.04'],
  );
  assert.deepEqual(
    readdirSync(folder).toSorted(),
    ['daily', 'focus', 'jobs', 'runs'].map((name) => `runcost-${name}-2024-03-01-to-2024-03-01.csv`),
  );
  const lines = readFileSync(join(folder, 'runcost-runs-2024-03-01-to-2024-03-01.csv'), 'utf8').trim();
  assert.match(lines, /^[^\n]+\n[^\n]*run_other_4[^\n]*$/, 'older than what the plan shows');
  assert.equal((await ask('session')).status, 401);
  const listed = await json('org', 'list');
  assert.ok(!listed.some((each: Json) => each.org_id === acme.org_id));
});

test('deletes an empty organization without a server', async () => {
  const own = await newStorage();
  const created = await runCommand(['org', 'create', '--name', 'Empty Inc', '--json'], own);
  const id = JSON.parse(created.stdout).org_id as string;
  const { code, stderr } = await spawnCommand(['org', 'delete', '--org', id, '--confirm', 'Empty Inc'], own);
  assert.equal(code, 0, stderr);
  assert.match(stderr, new RegExp(`"organization":"${id}".*"organization deleted"`));
  assert.ok(stderr.includes(`Deleted Empty Inc (${id}).\n`), stderr);
  assert.equal((await runCommand(['org', 'list', '--json'], own)).stdout, '[]\n');
});

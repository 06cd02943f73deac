import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newStorage, ownerOf, runCommand, serveHere } from '../../test/harness/program.ts';

const settings = await newStorage();
const server = await serveHere(settings);
const { token } = ownerOf(server);
const alert = (...args: string[]) => runCommand(['alert', ...args], settings);

async function created(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await alert('create', '--type', 'budget', '--threshold', '10', ...args);
  assert.equal(code, 0, stderr);
  return stdout.trim();
}

/** 125 minutes on 2-core Linux cost a dollar; 13 hours and a bit over 6 dollars in two jobs. */
async function spend(): Promise<void> {
  const [started_at, completed_at] = [new Date(Date.now() - 6 * 3_600_000), new Date()];
  const jobs = Array.from({ length: 5 }, (_, index) => {
    return { job_id: String(index), runner: 'linux_2_core', started_at, completed_at };
  });
  const run = { run_id: '1', workflow_name: 'CI', repo_name: 'acme/api', status: 'completed', jobs };
  const response = await fetch(`${server.address}/api/v1/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ runs: [{ ...run, conclusion: 'success', created_at: started_at }] }),
  });
  assert.ok(response.ok, await response.text());
}

test('an empty list says how to begin', async () => {
  assert.deepEqual(await alert('list', '--json'), { code: 0, stdout: '[]\n', stderr: '' });
  assert.match((await alert('list')).stderr, /No alerts yet.*alert preview/);
  assert.match((await alert('preview', '--type', 'budget', '--threshold', '5')).stderr, /Not enough history/);
});

test('a scope is a type and its value, and a branch can have a repository', async () => {
  const scopeOf = async (...args: string[]): Promise<object> => {
    const { stdout } = await alert('get', await created('--name', 'Scoped', ...args), '--json');
    return (JSON.parse(stdout) as { scope: object }).scope;
  };
  assert.deepEqual(await scopeOf(), { type: 'organization' });
  assert.deepEqual(await scopeOf('--scope', 'repository=acme/api'), {
    type: 'repository',
    value: 'acme/api',
  });
  const branch = { type: 'branch', value: 'main', repository: 'acme/api' };
  assert.deepEqual(await scopeOf('--scope', 'branch=main', '--scope', 'repository=acme/api'), branch);
  const refused: [string[], RegExp][] = [
    [['--scope', 'acme/api'], /--scope must be NAME=VALUE .*; "acme\/api" has no =/],
    [['--scope', 'team=a', '--scope', 'team=b'], /--scope names team twice/],
    [['--scope', 'team=a', '--scope', 'workflow=b'], /--scope must be given once, or twice for a branch/],
    [['--scope', 'planet=mars'], /--scope must name one of repository, workflow, branch, team/],
  ];
  for (const [args, message] of refused) {
    const { code, stderr } = await alert(
      'create',
      '--name',
      'x',
      '--type',
      'budget',
      '--threshold',
      '1',
      ...args,
    );
    assert.equal(code, 2);
    assert.match(stderr, message);
  }
});

test('checks, snoozes and acknowledges in words', async () => {
  await spend();
  const id = await created('--name', '=Month', '--no-email');
  const check = await alert('check', id);
  assert.match(check.stdout, /^Triggered: \$14\.\d\d, threshold \$10\.00\n$/);
  assert.match(check.stderr, /^Nobody is set up to get a notification/);
  assert.match(
    (await alert('acknowledge', id, '--note', 'mine')).stderr,
    /^\S+ is acknowledged by .* since /,
  );
  assert.match((await alert('snooze', id)).stderr, /--until is missing, and so is --end/);
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  assert.match((await alert('snooze', id, '--until', tomorrow)).stderr, /^Snoozed until /);
  assert.match((await alert('snooze', id, '--end')).stderr, /^Not snoozed/);
  const listed = await alert('list', '--csv');
  assert.match(listed.stdout, /^id,name,.*\r\n[^,]+,'=Month,/);
  assert.match((await alert('measure')).stdout, /Month/);
});

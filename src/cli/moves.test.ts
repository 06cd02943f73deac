import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newStorage, runCommand, serveHere } from '../../test/harness/program.ts';

const settings = await newStorage();
const run = (...args: string[]) => runCommand(args, settings);
const created = await run('org', 'create', '--name', 'acme', '--json');
const { token } = JSON.parse(created.stdout) as { token: string };
const { address } = await serveHere(settings);

function runOf(daysAgo: number, runner: string, minutes: number): object {
  const start = Date.now() - daysAgo * 86_400_000 - 3_600_000;
  const [created_at, completed_at] = [new Date(start), new Date(start + minutes * 60_000)];
  return {
    run_id: `${runner} ${daysAgo}`,
    workflow_name: 'CI',
    repo_name: 'acme/api',
    status: 'completed',
    conclusion: 'success',
    created_at,
    jobs: [
      { job_id: 'test', name: 'test', conclusion: 'success', runner, started_at: created_at, completed_at },
    ],
  };
}

test('prints what a month costs on both runners, and the text of each move', async () => {
  assert.match((await run('moves')).stderr, /^No matching moves from .* to .*\.$/m);
  const days = Array.from({ length: 10 }, (_, day) => day + 1);
  for (const submission of [
    ...days.map((day) => runOf(day, 'linux_4_core', 8)),
    ...days.slice(0, 6).map((day) => runOf(day, 'linux_2_core', 10)),
  ]) {
    const answer = await fetch(`${address}/api/v1/runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ runs: [submission] }),
    });
    assert.ok(answer.ok, await answer.text());
  }
  const { code, stdout, stderr } = await run('moves');
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^Moves save \$\d\.\d\d a month\.$/m);
  assert.match(
    stdout,
    /^move +Linux 4-core +Linux 2-core +2\d\d +\$\d\.\d\d +\$\d\.\d\d +1\.25 \(1\.25–1\.25\) +\$\d\.\d\d$/m,
  );
  assert.match(stdout, /^Move 1 job from Linux 4-core to Linux 2-core: saves/m);
  assert.match(stdout, /^ {2}acme\/api CI: test$/m);
  assert.match(stderr, /^Amounts are list prices of /m);
  const { stdout: json } = await run('moves', '--state', 'move', '--json');
  assert.deepEqual(
    (JSON.parse(json) as { state: string }[]).map(({ state }) => state),
    ['move'],
  );
});

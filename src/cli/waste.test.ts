import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newStorage, runCommand, serveHere } from '../../test/harness/program.ts';

const settings = await newStorage();
const run = (...args: string[]) => runCommand(args, settings);

const created = await run('org', 'create', '--name', 'acme', '--json');
const { org_id, token } = JSON.parse(created.stdout) as { org_id: string; token: string };
const minute = 60_000;

/** A run that ended an hour ago, with a failed job of 90 seconds and a successful job of a minute. */
function runOf(workflow_name: string): object {
  const start = new Date(Date.now() - 61 * minute).getTime();
  const job = (job_id: string, seconds: number, conclusion: string) => ({
    job_id,
    name: job_id,
    conclusion,
    runner: 'linux_2_core',
    started_at: new Date(start),
    completed_at: new Date(start + seconds * 1e3),
  });
  return {
    run_id: workflow_name,
    workflow_name,
    repo_name: 'acme/api',
    status: 'completed',
    conclusion: 'failure',
    created_at: new Date(start),
    jobs: [job('test', 90, 'failure'), job('test again', 90, 'failure'), job('lint', 60, 'success')],
  };
}

function cellsOf(text: string): string[][] {
  return text.split('\n').map((line) => line.trim().split(/ {2,}/));
}

const server = await serveHere(settings);

test('says so without runs', async () => {
  const { code, stdout, stderr } = await run('waste', '--repo', 'acme/api');
  assert.deepEqual([code, stdout], [0, '']);
  assert.match(stderr, /No completed jobs of acme\/api from .* to .*\./);
});

test("prints categories, workflows and suggestions, also as the API's JSON", async () => {
  const ask = async (path: string, body?: object) => {
    const answer = await fetch(`${server.address}/api/v1/${path}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
    });
    assert.ok(answer.ok, await answer.clone().text());
    return answer.json();
  };
  await ask('runs', { runs: [runOf('CI'), runOf('Docs')] });

  const { code, stdout, stderr } = await run('waste', '--days', '7', '--limit', '1', '--org', org_id);
  assert.equal(code, 0, stderr);
  const lines = cellsOf(stdout);
  assert.deepEqual(lines[0], ['CATEGORY', 'COST', 'SHARE', 'MINUTES', 'JOBS']);
  const line = (name: string) => lines.find(([first]) => first === name);
  assert.deepEqual(line('rounding'), ['rounding', '$0.02', '20.0%', '2', '4']);
  assert.deepEqual(line('failed'), ['failed', '$0.05', '60.0%', '6', '4']);
  assert.deepEqual(line('useful'), ['useful', '$0.02', '20.0%', '2']);
  assert.deepEqual(line('total')?.slice(0, 4), ['total', '$0.08', '100.0%', '10']);
  assert.deepEqual(line('CI'), ['CI', 'acme/api', '$0.04', '$0.03', '80.0%']);
  assert.equal(line('Docs'), undefined);
  assert.match(stdout, /^Save up to \$0\.01: acme\/api CI\n {2}Merge short jobs: test/m);
  assert.ok(stdout.split('\n').every(({ length }) => length <= 80));
  assert.match(stderr, /^1 of 2 workflows not shown\. To see all: --limit 2$/m);

  const ofRounding = cellsOf((await run('waste', '--category', 'rounding')).stdout);
  assert.ok(ofRounding.some((cells) => cells[3] === 'ROUNDING'));
  assert.deepEqual(
    ofRounding.find(([first]) => first === 'CI'),
    ['CI', 'acme/api', '$0.04', '$0.01', '20.0%', '2'],
  );
  assert.ok(!ofRounding.flat().some((cell) => cell.startsWith('Failing most')));
  const ofRerun = await run('waste', '--category', 'rerun');
  assert.match(ofRerun.stderr, /No workflow has waste in rerun\./);

  const json = await run('waste', '--days', '7', '--json');
  const { data } = (await ask('waste?days=7')) as { data: unknown };
  assert.deepEqual(JSON.parse(json.stdout), data);
});

test('lists fixes by what they save, and records decisions about them', async () => {
  const listed = await run('waste', 'fixes', '--days', '15', '--category', 'rounding');
  const [, id = ''] =
    /^Save up to \$0\.03 a month\.\n\n\$0\.02 a month {2}rounding {2}acme\/api CI\n {2}(wf_\w+\.rounding)\n/.exec(
      listed.stdout,
    ) ?? [];
  assert.notEqual(id, '', listed.stdout);
  assert.ok(listed.stdout.split('\n').every(({ length }) => length <= 80));

  const refused = await run('waste', 'dismiss', id);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /--reason must say why/);
  const none = await run('waste', 'done', 'wf_none.failed');
  assert.equal(none.code, 4);
  assert.match(none.stderr, /There is no workflow wf_none in this organization\./);
  const dismissed = await run('waste', 'dismiss', id, '--reason', 'They run on two machines', '--json');
  assert.equal(JSON.parse(dismissed.stdout).reason, 'They run on two machines');
  assert.match((await run('waste', 'done', id)).stderr, /To undo: waste reopen wf_/);
  const done = await run('waste', 'fixes', '--status', 'done');
  assert.match(
    done.stdout,
    /^done {2}rounding {2}acme\/api CI\n {2}wf_.* by cli\n {2}Too early to say until /ms,
  );
  const json = JSON.parse((await run('waste', 'fixes', '--json')).stdout);
  assert.deepEqual([json.at(-1).status, json.at(-1).id], ['done', id]);
  assert.match((await run('waste', 'reopen', id)).stderr, /^Reopened wf_/m);
  assert.match((await run('waste', 'fixes', '--status', 'done')).stderr, /No matching fixes from/);
  const weeks = cellsOf((await run('waste', 'trend', '--weeks', '2')).stdout);
  assert.deepEqual([weeks[0], weeks.length], [['START', 'END', 'COST', 'WASTE', 'BEFORE'], 4]);
});

test('lists runs that nobody needs among the fixes, with runs to look at', async () => {
  const nights = [1, 2, 3, 4, 5, 6].map((ago) => {
    const started_at = new Date(Date.now() - ago * 24 * 60 * minute);
    const completed_at = new Date(started_at.getTime() + 10 * minute);
    const job = { job_id: 'test', conclusion: 'success', runner: 'linux_2_core', started_at, completed_at };
    const scheduled = { run_id: `night-${ago}`, event: 'schedule', commit: 'a1', created_at: started_at };
    return { ...runOf('Nightly'), ...scheduled, conclusion: 'success', jobs: [job] };
  });
  const answer = await fetch(`${server.address}/api/v1/runs`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    method: 'POST',
    body: JSON.stringify({ runs: nights }),
  });
  assert.equal(answer.status, 200, await answer.text());
  const { stdout } = await run('waste', 'fixes', '--category', 'idle_schedule');
  assert.match(
    stdout,
    /^\$\d\.\d\d a month {2}idle_schedule {2}acme\/api Nightly\n {2}wf_\w+\.idle_schedule$/m,
  );
  assert.match(stdout.replaceAll('\n  ', ' '), /Runs to look at: run_api_night-1, .*run_api_night-5\./);
});

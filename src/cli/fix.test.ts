import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { commandsOf } from '../../test/harness/commands.ts';
import { newStorage, serveHere } from '../../test/harness/program.ts';
import { gitHubJob, gitHubRun, signGitHub } from '../../test/payloads/gitHub.ts';

const settings = await newStorage();
const { address } = await serveHere(settings);
const { run, json, printed } = commandsOf('fix', settings);

const folder = mkdtempSync(join(tmpdir(), 'runcost-fix-'));
after(() => rmSync(folder, { recursive: true }));
const path = '.github/workflows/build.yml';
const file = join(folder, path);
mkdirSync(dirname(file), { recursive: true });
const content = 'on: push\njobs:\n  test:\n    runs-on: ubuntu-latest # two cores\n';
writeFileSync(file, content);

/** Runs yesterday: one takes five minutes, and two hang for five hours. */
async function record(): Promise<string> {
  const { id: source, secret } = await json('source', 'create', '--kind', 'github');
  const start = new Date(Date.now() - 86_400_000);
  const common = { repository: 'acme/api', created_at: start.toISOString(), started_at: start.toISOString() };
  for (const [id, minutes] of [
    [1, 5],
    [2, 300],
    [3, 300],
  ] as const) {
    const completed_at = new Date(start.getTime() + minutes * 60_000).toISOString();
    const conclusion = minutes === 5 ? 'success' : 'timed_out';
    const job = gitHubJob({ ...common, id, run_id: id, name: 'test', completed_at, conclusion });
    const { started_at: _, ...ofRun } = common;
    for (const [event, payload] of [
      ['workflow_job', job],
      ['workflow_run', gitHubRun({ ...ofRun, id, conclusion })],
    ] as const) {
      const body = JSON.stringify(payload);
      const headers = { 'x-github-event': event, 'x-hub-signature-256': signGitHub(body, secret) };
      const sent = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };
      const answer = await fetch(`${address}/api/v1/ingest/${source}`, sent);
      assert.equal(answer.status, 202);
    }
  }
  const fixes = await json('waste', 'fixes');
  return fixes.find(({ category }: { category: string }) => category === 'failed').id;
}

test('prints a patch of the given file that git applies, and says what is left', async () => {
  const id = await record();
  const { code, stdout, stderr } = await run(id, '--file', file);
  assert.equal(code, 2, stderr);
  assert.equal(stdout, '');
  const before = process.cwd();
  process.chdir(folder);
  try {
    const [patch, notes] = await printed(id, '--file', `./${path}`);
    execFileSync('git', ['apply', '-'], { cwd: folder, input: patch });
    assert.equal(readFileSync(file, 'utf8'), `${content}    timeout-minutes: 10\n`);
    assert.match(notes, /^Estimate of the change: \$0\.00 in 30 days/m);

    const again = await run(id, '--file', path);
    assert.deepEqual([again.code, again.stdout], [1, '']);
    assert.match(again.stderr, /^Left to you: Limit the time of test to 10 minutes/m);
    assert.match(again.stderr, /build\.yml:3: Its limit is 10 minutes already\.\n {4}timeout-minutes: 10/);
    assert.match((await run(id, '--file', 'gone.yml')).stderr, /--file: ENOENT/);
  } finally {
    process.chdir(before);
  }
  assert.match(
    (await run(id)).stderr,
    /Nothing can read acme\/api: add a GitHub App or a token .*, or give the/,
  );
  assert.match((await run('open', id)).stderr, /Pull requests with fixes are off/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsOf } from '../../test/harness/commands.ts';
import { startFakeGitHub } from '../../test/harness/gitHubApi.ts';
import { newStorage, runCommand, serveHere, startCommand } from '../../test/harness/program.ts';
import { widenRecordedRuns } from '../../test/harness/recordedRuns.ts';

const fake = await startFakeGitHub();
const end = new Date(Date.now() - 7_200_000);
fake.repositories.set('acme/app', {
  runs: widenRecordedRuns('acme/app', { count: 6, gapSeconds: 3_600, end }),
});
const settings = { ...(await newStorage()), GITHUB_TOKEN: fake.token };
await serveHere(settings, { GITHUB_API_URL: fake.url, GITHUB_TOKEN: '' });
const { json, run, printed } = commandsOf('backfill', settings);
const github = ['github', '--repo', 'acme/app', '--since', '30d'];

test('the server reads with the token of the command, and the command follows it', async () => {
  const [stdout] = await printed(...github);
  assert.equal(stdout, 'Read 6 runs of acme/app.\n');
  const again = await json('backfill', ...github);
  assert.deepEqual([again.status, again.progress], ['done', { done: 6, total: 6 }]);
  const listed = await json('backfill', 'list');
  assert.deepEqual([listed.length, listed[0].id], [2, again.id]);
  assert.match((await printed('list'))[0], new RegExp(`${again.id} +\\S+Z +acme/app +\\S+Z +done +6 +6\n`));
  assert.equal((await printed('watch', again.id))[0], stdout);
});

test('explains errors, with an exit code', async () => {
  const cases: [args: string[], token: string, code: number, expected: RegExp][] = [
    [['--repo', 'app'], fake.token, 2, /--repo\[0\] must/],
    [['--repo', 'acme/none'], fake.token, 1, /acme\/none does not exist, or the credentials have no access/],
    [['--repo', 'acme/app'], 'github_pat_wrong', 1, /GitHub rejects the credentials/],
    [['--repo', 'acme/app'], '', 2, /--source is missing\. .* Or give this backfill a token/],
    [
      ['--repo', 'acme/app', '--source', 'src_none'],
      fake.token,
      2,
      /--source is not a source with credentials/,
    ],
  ];
  for (const [args, GITHUB_TOKEN, expectedCode, expected] of cases) {
    const { code, stderr } = await runCommand(['backfill', 'github', ...args], { ...settings, GITHUB_TOKEN });
    assert.equal(code, expectedCode, stderr);
    assert.match(stderr, expected);
  }
});

test('a refused repository makes the exit code 1, and is not in the summary', async () => {
  const { code, stdout, stderr } = await run('github', '--repo', 'acme/app', 'acme/none', '--since', '30d');
  assert.deepEqual([code, stdout], [1, 'Read 6 runs of acme/app.\n']);
  assert.match(stderr, /acme\/none does not exist/);
});

test('names problems and unread runs at the end', async () => {
  fake.repositories.set('acme/few', {
    runs: widenRecordedRuns('acme/few', { count: 3, gapSeconds: 3_600, end, firstId: 2_000 }),
  });
  // The count, the list with two runs, and the list again.
  fake.interruptions.push(null, { short: true }, null, null, { short: true });
  const [stdout, stderr] = await printed('github', '--repo', 'acme/few', '--since', '30d');
  assert.equal(stdout, 'Read 2 of 3 runs of acme/few.\n');
  assert.match(stderr, /1 run of acme\/few is missing: .* GitHub counted 3 and twice listed 2/);

  fake.repositories.set('acme/part', {
    runs: widenRecordedRuns('acme/part', { count: 3, gapSeconds: 3_600, end, firstId: 3_000 }),
  });
  const [first] = fake.repositories.get('acme/part')!.runs;
  // The count, the list, and the jobs of the latest run, which are refused.
  fake.interruptions.push(null, null, null, null, { status: 410, message: 'Gone' });
  const [, notes] = await printed('github', '--repo', 'acme/part', '--since', '30d');
  assert.match(notes, new RegExp(`Run ${first!.run.id} of acme/part could not be read: .*"Gone"`));
});

test('says why it waits, and Ctrl-C ends only the watch', async () => {
  const away = await newStorage();
  await serveHere(away, { GITHUB_API_URL: 'http://127.0.0.1:1' });
  const own = { ...away, GITHUB_TOKEN: fake.token };
  const { ended, interrupt, until } = startCommand(['backfill', ...github], own);
  await until(/Next attempt: .*\n/);
  interrupt();
  const { code, stdout, stderr } = await ended;
  assert.deepEqual([code, stdout], [130, '']);
  assert.match(
    stderr,
    /^GitHub cannot be reached \(127\.0\.0\.1:1: connection refused, or host unreachable\)\. Attempt 1 of 9 failed\. Next attempt: \S+Z\.\nStopped watching; the backfill continues\. To see it: .*backfill watch bkf_\w+\. To cancel it: .*backfill cancel bkf_\w+\n$/,
  );
  const beside = commandsOf('backfill', own);
  const [{ id, status }] = await beside.json('backfill', 'list');
  assert.notEqual(status, 'cancelled');
  assert.deepEqual(await beside.printed('cancel', id), ['', `Canceled ${id}; the recorded runs stay.\n`]);
  assert.match((await beside.run('cancel', id)).stderr, /has already ended/);
});

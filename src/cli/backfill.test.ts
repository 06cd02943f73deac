import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsOf } from '../../test/harness/commands.ts';
import { startFakeGitHub } from '../../test/harness/gitHubApi.ts';
import { newStorage, runCommand, serveHere, startCommand } from '../../test/harness/program.ts';
import { widenRecordedRuns } from '../../test/harness/recordedRuns.ts';

const fake = await startFakeGitHub();
const end = new Date(Date.now() - 7_200_000);
fake.repositories.set('acme/app', {
  runs: widenRecordedRuns('acme/app', { count: 60, gapSeconds: 3_600, end }),
});
const settings = {
  ...(await newStorage()),
  GITHUB_API_URL: fake.url,
  GITHUB_TOKEN: fake.token,
};
const { json, run, printed } = commandsOf('backfill', settings);
await runCommand(['org', 'create', '--name', 'Acme'], settings);

test('works on a backfill without a server, and reading again changes nothing', async () => {
  const [stdout] = await printed('github', '--repo', 'acme/app', '--since', '30d');
  assert.equal(stdout, 'Read 60 runs of acme/app.\n');
  const again = await json('backfill', 'github', '--repo', 'acme/app', '--since', '30d');
  assert.deepEqual([again.status, again.progress], ['done', { done: 60, total: 60 }]);
  const listed = await json('backfill', 'list');
  assert.equal(listed.length, 2);
  assert.equal(listed[0].id, again.id);
  const [latest, note] = await printed('list', '--limit', '1');
  assert.deepEqual([...latest.matchAll(/bkf_\w+/g)].map(String), [again.id]);
  assert.match(note, /^1 of 2 backfills not shown\. To see all: --limit 2$/m);
});

test('explains errors, with exit code 1', async () => {
  const cases: [args: string[], changes: Record<string, string>, expected: RegExp][] = [
    [['--repo', 'app'], {}, /--repo must be owner\/name, not app/],
    [['--repo', 'acme/none'], {}, /acme\/none does not exist, or the credentials have no access/],
    [['--repo', 'acme/app'], { GITHUB_TOKEN: 'github_pat_wrong' }, /GitHub rejects the credentials/],
    [['--repo', 'acme/app'], { GITHUB_TOKEN: '' }, /--source is missing.*set GITHUB_TOKEN/],
  ];
  for (const [args, changes, expected] of cases) {
    const { code, stderr } = await runCommand(['backfill', 'github', ...args], { ...settings, ...changes });
    assert.equal(code, 1, stderr);
    assert.match(stderr, expected);
  }
});

test('a refused repository makes the exit code 1, and is not in the summary', async () => {
  const args = ['github', '--repo', 'acme/app', 'acme/none', '--since', '30d'];
  const { code, stdout, stderr } = await run(...args);
  assert.deepEqual([code, stdout], [1, 'Read 60 runs of acme/app.\n']);
  assert.match(stderr, /acme\/none does not exist/);
});

test('reports at the end what GitHub counts and does not list', async () => {
  const short = { short: true } as const;
  fake.repositories.set('acme/few', {
    runs: widenRecordedRuns('acme/few', { count: 3, gapSeconds: 3_600, end, firstId: 2_000 }),
  });
  // The count, the list with two runs, and the list again.
  fake.interruptions.push(null, short, null, null, short);
  const [stdout, stderr] = await printed('github', '--repo', 'acme/few', '--since', '30d');
  assert.equal(stdout, 'Read 2 of 3 runs of acme/few.\n');
  assert.match(stderr, /1 run of acme\/few is missing: .* GitHub counted 3 and twice listed 2/);
});

test('names unread runs at the end', async () => {
  fake.repositories.set('acme/part', {
    runs: widenRecordedRuns('acme/part', { count: 3, gapSeconds: 3_600, end, firstId: 3_000 }),
  });
  const [first] = fake.repositories.get('acme/part')!.runs;
  // The count, the list, and the jobs of the latest run, which are refused.
  fake.interruptions.push(null, null, null, null, { status: 410, message: 'Gone' });
  const [stdout, stderr] = await printed('github', '--repo', 'acme/part', '--since', '30d');
  assert.equal(stdout, 'Read 2 of 3 runs of acme/part.\n');
  assert.match(stderr, new RegExp(`Run ${first!.run.id} of acme/part could not be read: .*"Gone"`));
});

test('names the host, the reason and the attempt while GitHub is unreachable', async () => {
  const away = { ...settings, GITHUB_API_URL: 'http://127.0.0.1:1' };
  const { ended, interrupt, until } = startCommand(['backfill', 'github', '--repo', 'acme/app'], away);
  await until(/Next attempt: .*\n/);
  interrupt();
  const { stderr: notes } = await ended;
  assert.match(
    notes,
    /^GitHub cannot be reached \(127\.0\.0\.1:1: connection refused, or host unreachable\)\. Attempt 1 of 9 failed\. Next attempt: \S+Z\.\nStopped\. To continue: .*backfill watch bkf_\w+\n$/,
  );
  const [{ id, waiting }] = await json('backfill', 'list');
  const { attempt, message } = waiting;
  assert.deepEqual([attempt, message], [1, '127.0.0.1:1: connection refused, or host unreachable']);
  await json('backfill', 'cancel', id);
});

test('an ended backfill can be neither watched nor cancelled', async () => {
  const [latest] = await json('backfill', 'list');
  const { status } = await json('backfill', 'watch', latest.id).catch(() => ({ status: 'failed' }));
  assert.equal(status, latest.status);
  const { code, stderr } = await run('cancel', latest.id);
  assert.equal(code, 1);
  assert.match(stderr, /has already ended/);
});

test('shares the work with a running server, and reads no run twice', async () => {
  const server = await serveHere(settings, { GITHUB_API_URL: fake.url, GITHUB_TOKEN: '' });
  fake.repositories.set('acme/other', {
    runs: widenRecordedRuns('acme/other', { count: 60, gapSeconds: 3_600, end, firstId: 1_000 }),
  });
  fake.requests.length = 0;
  const done = await json('backfill', 'github', '--repo', 'acme/other', '--since', '30d');
  assert.deepEqual([done.status, done.progress], ['done', { done: 60, total: 60 }]);
  const jobLists = fake.requests.filter(({ path }) => path.includes('/jobs')).map(({ path }) => path);
  assert.deepEqual([jobLists.length, new Set(jobLists).size], [60, 60]);
  await server.stop();
});

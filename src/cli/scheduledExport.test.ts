import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsOf } from '../../test/harness/commands.ts';
import { openObjectStorage } from '../../test/harness/objectStorage.ts';
import { newStorage, serveHere } from '../../test/harness/program.ts';

const storage = await openObjectStorage();
const settings = await newStorage();
await serveHere(settings, { EGRESS_ALLOWED_CIDRS: '127.0.0.1/32', EGRESS_ALLOW_HTTP: 'true' });
const withSecret = commandsOf('scheduled-export', { ...settings, STORAGE_SECRET_KEY: 'hidden-key' });
const { run, json, printed } = commandsOf('scheduled-export', settings);
const schedule = ['--dataset', 'jobs', '--frequency', 'weekly'];
const options = [...schedule, '--endpoint', storage.endpoint, '--bucket', 'costs', '--prefix', 'ci'];
const create = ['create', ...options, '--access-key', 'ours'];

test('the secret key comes from the environment, and changes only with the access key', async () => {
  assert.deepEqual(await printed('list'), ['', 'No scheduled exports yet.\n']);
  const [id, note] = await withSecret.printed(...create);
  assert.match(id, /^sxp_[0-9a-f]{20}\n$/);
  assert.match(note, /^Next: /);
  assert.deepEqual(await printed('test', id.trim()), ['', 'Wrote costs/ci/runcost-test.txt.\n']);
  storage.failing = () => ({ status: 404, code: 'NoSuchBucket', message: 'No bucket.' });
  const failed = await run('test', id.trim());
  assert.deepEqual([failed.code, failed.stdout], [1, '']);
  assert.match(failed.stderr, /NoSuchBucket: No bucket\./);
  const [, off] = await printed('update', id.trim(), '--frequency', 'daily', '--format', 'parquet', '--off');
  assert.equal(off, 'It is off.\n');
  const other = commandsOf('scheduled-export', { ...settings, STORAGE_SECRET_KEY: 'of-another' });
  storage.failing = () => null;
  storage.secret = 'hidden-key';
  await other.printed('update', id.trim(), '--prefix', 'ci');
  await printed('test', id.trim());
  storage.secret = 'of-another';
  await other.printed('update', id.trim(), '--access-key', 'ours');
  await printed('test', id.trim());
  storage.secret = null;
  const [listed] = await json('scheduled-export', 'list');
  assert.deepEqual(
    [listed.frequency, listed.format, listed.enabled, listed.bucket, listed.region],
    ['daily', 'parquet', false, 'costs', 'us-east-1'],
  );
  const [table] = await printed('list');
  assert.match(table, /jobs +parquet +daily +http:\/\/127\.0\.0\.1:\d+ +costs +ci +no +-\n/);
  assert.deepEqual(await printed('uploads'), ['', 'No uploads yet.\n']);
  assert.deepEqual(await printed('delete', id.trim()), ['', `Deleted ${id.trim()}.\n`]);
});

test('says what is wrong', async () => {
  const cases: [typeof run, string[], RegExp][] = [
    [run, create, /STORAGE_SECRET_KEY is required/],
    [withSecret.run, [...create, '--endpoint', 'https://10.0.0.1'], /--endpoint must not point there/],
    [withSecret.run, [...create, '--no-path-style'], /--path-style must be true/],
    [run, ['update', 'sxp_none', '--on', '--off'], /--off/],
  ];
  for (const [command, words, message] of cases) {
    const { code, stdout, stderr } = await command(...words);
    assert.deepEqual([code, stdout], [2, ''], words.join(' '));
    assert.match(stderr, message);
  }
});

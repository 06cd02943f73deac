import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsOf } from '../../test/harness/commands.ts';
import { startFakeGitHub } from '../../test/harness/gitHubApi.ts';
import { artifactOf, gigabyte } from '../../test/harness/gitHubStorage.ts';
import { newStorage, serveHere } from '../../test/harness/program.ts';

const fake = await startFakeGitHub();
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const coverage = { name: 'coverage', bytes: 2 * gigabyte, created: inDays(-10), expires: inDays(80) };
fake.repositories.set('acme/app', { runs: [], artifacts: [artifactOf(coverage)], caches: null });
const settings = await newStorage();
await serveHere(settings, { GITHUB_API_URL: fake.url });
const { json, run, printed } = commandsOf('storage', settings);

test('reads storage now, follows the reading, and lists what to change', async () => {
  assert.match((await printed('list'))[1], /^Nothing is read yet\. `storage read` reads it; .*Actions: read/);
  const { id } = await json('source', 'create', '--kind', 'github');
  await json('source', 'credentials', 'set', id, '--kind', 'token', '--token', fake.token);
  const { code, stdout, stderr } = await run('read', '--repo', 'acme/app');
  assert.equal(code, 1, 'the caches could not be read');
  assert.match(stderr, /^The caches of acme\/app could not be read\./m);
  assert.equal(stdout, 'Read 1 repository. See them: storage list\n');
  const [listed] = await printed('list', '--repo', 'acme/app');
  // On the first day of a month, it is less than a cent, which has more digits.
  assert.match(
    listed,
    /^2\.00 GB of artifacts, 0\.00 GB of caches: \$0\.50 a month, (?:\$\d\.\d\d|\$0\.00\d+) this month so far\.$/m,
  );
  assert.match(listed, /^acme\/app +not recorded +artifact +coverage +1 +2\.00 +\$0\.50 +90 +\$0\.50$/m);
  assert.match(listed, /^\$0\.50 a month: acme\/app, coverage\n {2}Kept 90 days/m);
  assert.match(listed, /^ {4}with:\n {4} {2}name: coverage\n {4} {2}retention-days: 7$/m);
  const rows = await json('storage', 'list');
  assert.deepEqual([rows.length, rows[0].saving_per_month], [1, 0.5]);
  assert.match((await printed('readings'))[0], /^sto_\w+ +\S+Z +done +1/m);
});

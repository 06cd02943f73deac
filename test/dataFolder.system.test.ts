import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openDatabase } from '../src/platform/db/database.ts';
import { isSamePlace, setHold } from '../src/platform/db/installation.ts';
import { newDataDir, runCommand, serveHere, spawnCommand } from './harness/program.ts';

test('a data folder that cannot be used is named', async () => {
  const inFile = join(import.meta.filename, 'data');
  for (const folder of existsSync('/proc/self')
    ? [inFile, import.meta.filename, '/proc/none/data']
    : [inFile]) {
    const { code, stderr } = await runCommand(['migrate'], { DATA_DIR: folder });
    assert.equal(code, 5);
    assert.match(stderr, /DATA_DIR .* cannot be used: E(NOTDIR|NOENT)/);
    assert.doesNotMatch(stderr, /at .*\.ts/);
  }
});

test('a folder without a database is refused, and stays as it was', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'runcost-data-'));
  after(() => rmSync(parent, { recursive: true }));
  const missing = join(parent, 'typo');
  for (const DATA_DIR of [parent, missing]) {
    for (const args of [['verify'], ['backup', '--output', '-'], ['demo', '--remove']]) {
      const { code, stdout, stderr } = await runCommand(args, { DATA_DIR });
      assert.deepEqual([code, stdout], [4, '']);
      assert.ok(
        stderr.startsWith(`error: There is no database in DATA_DIR ${DATA_DIR}. Set DATA_DIR to`),
        stderr,
      );
      const start = `To create a database there: DATA_DIR=${DATA_DIR} npm start\n`;
      assert.ok(stderr.endsWith(start), stderr);
    }
    const asking = await runCommand(['costs'], { DATA_DIR });
    assert.deepEqual([asking.code, asking.stdout], [5, '']);
    assert.match(asking.stderr, /^error: No server runs with the data folder /);
  }
  assert.deepEqual(readdirSync(parent), []);
});

test('a copied folder is recognized and on hold until `resume`; a renamed one is no copy', async () => {
  const [first, copy] = [newDataDir(), newDataDir()];
  const renamed = `${first}-renamed`;
  const holdOf = async (dataDir: string) => {
    const server = await serveHere({ DATA_DIR: dataDir });
    const { stderr } = await runCommand(['resume'], { DATA_DIR: dataDir });
    await server.stop();
    return stderr;
  };
  assert.equal(await holdOf(first), 'There was no hold.\n');
  renameSync(first, renamed);
  after(() => rmSync(renamed, { recursive: true }));
  assert.equal(await holdOf(renamed), 'There was no hold.\n');
  rmSync(copy, { recursive: true });
  // Its socket and pipe are no files to copy.
  cpSync(renamed, copy, { recursive: true, filter: (path) => !path.endsWith('/run') });
  assert.match(await holdOf(copy), /^Ended: This data folder is a copy, found on 20/);
  assert.equal(await holdOf(copy), 'There was no hold.\n');
  rmSync(join(copy, 'identity.json'));
  assert.match(await holdOf(copy), /is a copy/);
  rmSync(join(copy, 'identity.json'));
  const options = { mayCreate: false };
  const { db, close } = await openDatabase({ databaseUrl: null, dataDir: copy }, options);
  await setHold(db, { reason: 'restored', detail: 'May', since: new Date() });
  await close();
  assert.match(await holdOf(copy), /was restored on 20.* from a backup of May/);
  assert.equal(await holdOf(renamed), 'There was no hold.\n');
});

test('other programs connect with `db`', async () => {
  const settings = { DATA_DIR: newDataDir() };
  assert.equal((await runCommand(['migrate'], settings)).code, 0);
  const printed = await runCommand(['db'], settings);
  assert.match(printed.stdout, /^psql 'postgres:\/\/postgres@localhost\/postgres\?host=.*%2Frun&port=5432/);
  const { code, stdout, stderr } = await spawnCommand(['db', 'printenv', 'PGHOST', 'PGUSER'], settings);
  assert.deepEqual([code, stdout, stderr], [0, `${join(settings.DATA_DIR, 'run')}\npostgres\n`, '']);
  const failed = await spawnCommand(['db', 'sh', '-c', 'exit 3'], settings);
  assert.equal(failed.code, 3);
  const missing = await spawnCommand(['db', 'no-such-program'], settings);
  assert.match(missing.stderr, /^error: no-such-program cannot be started: /);
  const named = { DATABASE_URL: 'postgres://somebody:hidden@127.0.0.1:1/none' };
  assert.deepEqual(await runCommand(['db'], named), {
    code: 0,
    stdout: 'psql "$DATABASE_URL"\n',
    stderr: '',
  });
});

test('without a time of birth, the inode alone names a file', () => {
  const place = (inode: string, born: string) => ({ inode, born });
  assert.ok(isSamePlace(place('1', '5'), place('2', '5')));
  assert.ok(isSamePlace(place('1', '0'), place('1', '0')));
  assert.ok(!isSamePlace(place('1', '0'), place('2', '0')));
});

import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { openDatabase } from '../src/platform/db/database.ts';
import { isSamePlace, setHold } from '../src/platform/db/installation.ts';
import { startChild } from './harness/child.ts';
import {
  newDataDir,
  programStart,
  runCommand,
  serveHere,
  spawnCommand,
  startServer,
} from './harness/program.ts';

test('a second server on the same folder exits with 1 and names the first', async () => {
  const dataDir = await newDataDir();
  await serveHere({ DATA_DIR: dataDir });
  // No temporary folder is needed, because the data folder is checked first.
  const settings = { DATA_DIR: dataDir, PORT: '0', TMPDIR: join(dataDir, 'none') };
  const { code, stderr } = await spawnCommand(['serve'], settings);
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`in use by process ${process.pid} `));
  assert.doesNotMatch(stderr, /at .*\.ts/);
});

test('a server waits for a command that uses its folder, and names it; a signal ends the wait', async () => {
  const dataDir = await newDataDir();
  const command = startChild('useDatabase.ts', dataDir, 'own');
  assert.equal(await command.readLine(), 'open');
  const [server, stopped] = [waitingServer(dataDir), waitingServer(dataDir)];
  for (const { firstNote } of [server, stopped]) {
    const inUse = `DATA_DIR ${dataDir} is in use by \`runcost fixture\` (process ${command.pid}).`;
    assert.equal(await firstNote, `${inUse} The server starts when that ends.`);
  }
  stopped.process.kill('SIGTERM');
  assert.deepEqual(await stopped.ended, [0, null]);
  await command.kill();
  assert.match(await server.firstLine, /^Runcost is at http/);
});

test('a command whose server is killed says so in one line', async () => {
  const dataDir = await newDataDir();
  const server = await startServer({ DATA_DIR: dataDir });
  const file = join(dataDir, 'rules.csv');
  execFileSync('mkfifo', [file]);
  const command = spawnCommand(['ownership', 'import', file], { DATA_DIR: dataDir });
  // The command has opened the database before it opens the file.
  const writer = await open(file, 'w');
  server.process.kill('SIGKILL');
  await once(server.process, 'exit');
  await writer.close();
  const { code, stderr } = await command;
  assert.equal(code, 1);
  assert.match(
    stderr,
    /(^|\n)error: The server of the database has stopped\. Start it, and run the command again\.\n$/,
  );
});

/** Sends a request to a server that may not be ready yet. */
function waitingServer(dataDir: string) {
  const env = { ...process.env, DATABASE_URL: '', DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'warn' };
  const args = [...programStart, 'serve'];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  after(() => void child.kill('SIGKILL'));
  const firstLineOf = async (stream: Readable): Promise<string> => {
    for await (const line of createInterface({ input: stream })) if (line !== '') return line;
    return '';
  };
  const [firstLine, firstNote] = [firstLineOf(child.stdout), firstLineOf(child.stderr)];
  return { process: child, firstLine, firstNote, ended: once(child, 'exit') };
}

test('a data folder that cannot be created is named', async () => {
  const inFile = join(import.meta.filename, 'data');
  for (const folder of existsSync('/proc/self') ? [inFile, '/proc/none/data'] : [inFile]) {
    const { code, stderr } = await runCommand(['migrate'], { DATA_DIR: folder });
    assert.equal(code, 1);
    assert.match(stderr, /DATA_DIR .*data cannot be made: E(NOTDIR|NOENT)/);
    assert.doesNotMatch(stderr, /at .*\.ts/);
  }
});

test('a folder without a database is refused, and stays as it was', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'runcost-data-'));
  after(() => rmSync(parent, { recursive: true }));
  const missing = join(parent, 'typo');
  for (const DATA_DIR of [parent, missing]) {
    for (const args of [['org', 'list'], ['token', 'create', '--name', 'ci'], ['waste']]) {
      const { code, stdout, stderr } = await runCommand(args, { DATA_DIR });
      assert.deepEqual([code, stdout], [1, '']);
      assert.ok(
        stderr.startsWith(`error: There is no database in DATA_DIR ${DATA_DIR}. Set DATA_DIR to`),
        stderr,
      );
      const start = `To create a database there: DATA_DIR=${DATA_DIR} npm start\n`;
      assert.ok(stderr.endsWith(start), stderr);
    }
  }
  assert.deepEqual(readdirSync(parent), []);
});

test('a copied folder is recognized and on hold until `resume`; a renamed one is no copy', async () => {
  const [first, copy] = [await newDataDir(), await newDataDir()];
  const renamed = `${first}-renamed`;
  const holdOf = async (dataDir: string) => (await runCommand(['resume'], { DATA_DIR: dataDir })).stderr;
  assert.equal(await holdOf(first), 'It is not on hold.\n');
  renameSync(first, renamed);
  after(() => rmSync(renamed, { recursive: true }));
  assert.equal(await holdOf(renamed), 'It is not on hold.\n');
  rmSync(copy, { recursive: true });
  cpSync(renamed, copy, { recursive: true });
  assert.match(await holdOf(copy), /^This data folder is a copy, found on 20.* The hold has ended/);
  assert.equal(await holdOf(copy), 'It is not on hold.\n');
  rmSync(join(copy, 'identity.json'));
  assert.match(await holdOf(copy), /is a copy/);
  rmSync(join(copy, 'identity.json'));
  const options = { command: 'test', mayJoin: false, mayCreate: false };
  const { db, close } = await openDatabase({ databaseUrl: null, dataDir: copy }, options);
  await setHold(db, { reason: 'restored', detail: 'May', since: new Date() });
  await close();
  assert.match(await holdOf(copy), /was restored on 20.* from a backup of May/);
  assert.equal(await holdOf(renamed), 'It is not on hold.\n');
});

test('without a time of birth, the inode alone names a file', () => {
  const place = (inode: string, born: string) => ({ inode, born });
  assert.ok(isSamePlace(place('1', '5'), place('2', '5')));
  assert.ok(isSamePlace(place('1', '0'), place('1', '0')));
  assert.ok(!isSamePlace(place('1', '0'), place('2', '0')));
});

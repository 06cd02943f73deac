import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startChild, type Child } from '../../../test/harness/child.ts';
import { DirectoryInUse, lockDirectory } from './directoryLock.ts';

const parent = mkdtempSync(join(tmpdir(), 'runcost-lock-'));
after(() => rmSync(parent, { recursive: true }));
let folders = 0;
const newFolder = () => join(parent, String(folders++));

const holder = { pid: process.pid, command: 'test', socketDirectory: '/nowhere' };

async function startHolder(folder: string): Promise<Child> {
  const child = startChild('holdFolder.ts', folder);
  assert.equal(await child.readLine(), 'ready');
  return child;
}

async function hold(child: Child): Promise<string> {
  child.writeLine('go');
  return child.readLine();
}

test('a missing folder is created for its owner only', () => {
  const folder = join(newFolder(), 'inner');
  lockDirectory(folder, holder)();
  assert.equal(statSync(folder).mode & 0o777, 0o700);
});

test('another process cannot take a held folder until its release, and learns who holds it', async () => {
  const folder = newFolder();
  const release = lockDirectory(folder, holder);
  const other = await startHolder(folder);
  assert.equal(
    await hold(other),
    `DATA_DIR ${folder} is in use by process ${process.pid} (runcost test). Stop it, or choose another DATA_DIR and PORT.`,
  );
  release();
  assert.equal(existsSync(join(folder, 'holder.json')), false);
  assert.equal(await hold(other), 'held');
  assert.throws(() => lockDirectory(folder, holder), {
    constructor: DirectoryInUse,
    holder: { pid: other.pid, command: 'fixture', socketDirectory: '/nowhere' },
  });
  other.endInput();
  assert.deepEqual(await other.ended, { exit: 0, stderr: '' });
});

test('the socket folder of a process that runs stays, and so does any other folder', async () => {
  const running = join(parent, 'runcost-0123456789abcdef');
  const other = join(parent, 'precious');
  const copy = newFolder();
  for (const folder of [running, other, copy]) mkdirSync(folder);
  const child = await startHolder(newFolder());
  const names: [pid: number, socketDirectory: string][] = [
    [child.pid, running],
    [process.pid, other],
  ];
  for (const [pid, socketDirectory] of names) {
    writeFileSync(join(copy, 'holder.json'), JSON.stringify({ pid, command: 'server', socketDirectory }));
    lockDirectory(copy, holder)();
    assert.ok(existsSync(socketDirectory));
  }
  child.endInput();
});

test('a held folder is refused within the same process too, and stays held', async () => {
  const folder = newFolder();
  const release = lockDirectory(folder, holder);
  assert.throws(() => lockDirectory(folder, holder), DirectoryInUse);
  const other = await startHolder(folder);
  assert.match(await hold(other), /is in use by process/);
  release();
});

test('a killed holder frees the folder, whatever it has written', async () => {
  const folder = newFolder();
  const other = await startHolder(folder);
  assert.equal(await hold(other), 'held');
  await other.kill();
  assert.equal(JSON.parse(readFileSync(join(folder, 'holder.json'), 'utf8')).pid, other.pid);
  const release = lockDirectory(folder, holder);
  assert.deepEqual(JSON.parse(readFileSync(join(folder, 'holder.json'), 'utf8')), holder);
  release();
});

test('a held folder is refused even if the holder is unreadable', () => {
  const folder = newFolder();
  const release = lockDirectory(folder, holder);
  writeFileSync(join(folder, 'holder.json'), '{');
  assert.throws(() => lockDirectory(folder, holder), /is in use by another process\./);
  release();
});

test('exactly one of several processes that start together gets the folder', async () => {
  const folder = newFolder();
  const children = await Promise.all(Array.from({ length: 5 }, () => startHolder(folder)));
  const answers = await Promise.all(children.map(hold));
  assert.equal(answers.filter((answer) => answer === 'held').length, 1, answers.join('\n'));
  await Promise.all(children.map((child) => child.kill()));
});

test('a folder that cannot be created or written is named, with the reason', () => {
  const file = newFolder();
  writeFileSync(file, '');
  assert.throws(
    () => lockDirectory(join(file, 'data'), holder),
    /^PublicError: DATA_DIR .* cannot be made: ENOTDIR/,
  );

  const folder = newFolder();
  mkdirSync(join(folder, 'lock'), { recursive: true });
  assert.throws(
    () => lockDirectory(folder, holder),
    /^PublicError: DATA_DIR .* cannot be written: unable to open/,
  );
});

test('a folder is released if the holder cannot be written', () => {
  const folder = newFolder();
  mkdirSync(join(folder, 'holder.json'), { recursive: true });
  assert.throws(() => lockDirectory(folder, holder), /cannot be written: EISDIR/);
  rmSync(join(folder, 'holder.json'), { recursive: true });
  lockDirectory(folder, holder)();
});

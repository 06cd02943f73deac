import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { createGunzip, gzipSync } from 'node:zlib';
import { heading } from '../../../test/harness/bills.ts';
import { removeLeftSpools, withSpooled } from './importReport.ts';

const folder = mkdtempSync(join(tmpdir(), 'runcost-spool-'));
const { TMPDIR = tmpdir() } = process.env;
process.env.TMPDIR = folder;
after(() => {
  process.env.TMPDIR = TMPDIR;
  rmSync(folder, { recursive: true, force: true });
});

test('stops to save a file where it is above the limit, also if it unpacks to that', async () => {
  const tooLarge = () => new Error('too large');
  const [head, block] = [Buffer.from(`${heading}\n`), Buffer.alloc(1024 * 1024, 'x')];
  let sent = 0;
  async function* endless() {
    yield head;
    for (; ; sent++) yield block;
  }
  const read = (stream: Readable, maxBytes: number) =>
    withSpooled(stream, { maxBytes, tooLarge }, async (file) => readFileSync(file).length);
  await assert.rejects(read(Readable.from(endless()), 3 * block.length), tooLarge());
  assert.ok(sent < 5, 'it does not read on');
  const zipped = gzipSync(Buffer.concat([head, block, block]));
  const unpacked = () => Readable.from([zipped]).pipe(createGunzip());
  await assert.rejects(read(unpacked(), 2 * block.length), tooLarge());
  assert.equal(await read(unpacked(), head.length + 2 * block.length), head.length + 2 * block.length);
  assert.deepEqual(readdirSync(folder), [], 'nothing is left');
});

test('at the start, files of processes that are gone are removed', async () => {
  // Ours is that of the process before in a container, and the runner's parent is alive.
  const names = [process.pid, process.ppid, 2 ** 30].map((pid) => `runcost-report-${pid}-aB3dE6`);
  for (const name of [...names, 'runcost-report-other']) mkdirSync(join(folder, name));
  await removeLeftSpools();
  assert.deepEqual(readdirSync(folder).toSorted(), [names[1]!, 'runcost-report-other'].toSorted());
  rmSync(join(folder, names[1]!), { recursive: true });
  rmSync(join(folder, 'runcost-report-other'), { recursive: true });
});

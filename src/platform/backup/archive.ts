import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';

/** A backup is a tar file, so that any machine can open it without Runcost. */

export type Sink = (bytes: Buffer) => Promise<void>;

const blockBytes = 512;

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

export async function writeEntry(sink: Sink, name: string, content: Buffer, writtenAt: Date): Promise<void> {
  await sink(headerOf(name, content.length, writtenAt));
  await sink(content);
  await sink(Buffer.alloc(paddingOf(content.length)));
}

export function endArchive(sink: Sink): Promise<void> {
  return sink(Buffer.alloc(2 * blockBytes));
}

function paddingOf(bytes: number): number {
  return (blockBytes - (bytes % blockBytes)) % blockBytes;
}

const checksumAt = 148;

/** The ustar header, https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html */
function headerOf(name: string, bytes: number, writtenAt: Date): Buffer {
  const header = Buffer.alloc(blockBytes);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`;
  header.write(name, 0, 100);
  header.write(octal(0o600, 7) + octal(0, 7) + octal(0, 7), 100);
  header.write(octal(bytes, 11) + octal(Math.floor(writtenAt.getTime() / 1_000), 11), 124);
  header.write('0', 156);
  header.write('ustar\x0000', 257, 'latin1');
  header.write(`${octal(checksumOf(header), 6)} `, checksumAt, 'latin1');
  return header;
}

/** The sum of the header's bytes, with its checksum field read as spaces. */
function checksumOf(header: Buffer): number {
  const spaces = 8 * 0x20;
  const field = header.subarray(checksumAt, checksumAt + 8);
  const sum = (bytes: Buffer) => bytes.reduce((total, byte) => total + byte, 0);
  return sum(header) - sum(field) + spaces;
}

export type Entry = { name: string; bytes: number; read: () => Promise<Buffer> };

/** The file cannot be read past the entry `after`; null means that not even its first entry can be read. */
export class BrokenArchive extends Error {
  readonly after: string | null;

  constructor(after: string | null) {
    super(`broken after ${after}`);
    this.after = after;
  }
}

/** Lists the entries without reading their contents. Throws `BrokenArchive`. */
export async function listEntries(file: FileHandle): Promise<Entry[]> {
  const { size } = await file.stat();
  const entries: Entry[] = [];
  for (let at = 0; ;) {
    const after = entries.at(-1)?.name ?? null;
    const header = await readAt(file, at, blockBytes);
    if (header.length < blockBytes) throw new BrokenArchive(after);
    if (header.every((byte) => byte === 0)) return entries;
    const sum = Number.parseInt(header.toString('latin1', checksumAt, checksumAt + 6), 8);
    if (sum !== checksumOf(header)) throw new BrokenArchive(after);
    const name = header.toString('utf8', 0, 100).replace(/\0.*/s, '');
    const octal = header.toString('latin1', 124, 135);
    if (!/^[0-7]{11}$/.test(octal)) throw new BrokenArchive(after);
    const bytes = Number.parseInt(octal, 8);
    const start = at + blockBytes;
    at = start + bytes + paddingOf(bytes);
    if (at > size) throw new BrokenArchive(after);
    entries.push({ name, bytes, read: () => readAt(file, start, bytes) });
  }
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, position);
  return bytes.subarray(0, bytesRead);
}

export async function withFile<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path);
  try {
    return await work(file);
  } finally {
    await file.close();
  }
}

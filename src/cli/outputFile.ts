import { randomBytes } from 'node:crypto';
import { open, rename, unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';

type Write<T> = (sink: (bytes: Uint8Array) => Promise<void>) => Promise<T>;

/** The file gets its name when all of it is on the disk. Until then, its name says who writes it. */
export async function saveFile<T>(file: string, write: Write<T>, mode?: number): Promise<T> {
  const unfinished = `${file}.${hostname()}-${process.pid}-${randomBytes(4).toString('hex')}.part`;
  try {
    const handle = await open(unfinished, 'wx', mode);
    let written: T;
    try {
      written = await write((bytes) => handle.writeFile(bytes));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, file);
    await syncFolder(dirname(file));
    return written;
  } catch (error) {
    await unlink(unfinished).catch(() => {});
    throw error;
  }
}

/** A file name is on the disk only when its folder is. Some file systems cannot sync folders. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder).catch(() => null);
  await handle?.sync().catch(() => {});
  await handle?.close();
}

/** Throws the errors of a reader that has closed the pipe. */
export async function printFile<T>(write: Write<T>): Promise<T> {
  // The failing write reports the error, too.
  process.stdout.on('error', () => {});
  return write(
    (bytes) =>
      new Promise((resolve, reject) => {
        process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
      }),
  );
}

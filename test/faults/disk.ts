import { execFile, execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmdirSync,
  rmSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

export type SmallDisk = { folder: string; fill: () => () => void; unmount: () => void };

/** A 256 MB disk in memory. Null if this user cannot mount one. */
export function mountSmallDisk(): SmallDisk | null {
  const folder = mkdtempSync(join(tmpdir(), 'runcost-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256m,mode=0755', 'none', folder], { stdio: 'pipe' });
  } catch {
    rmdirSync(folder);
    return null;
  }
  const filler = join(folder, 'filler');
  return {
    folder,
    fill: () => {
      writeUntilFull(filler);
      return () => rmSync(filler);
    },
    unmount: () => {
      execFileSync('umount', ['-l', folder]);
      rmdirSync(folder);
    },
  };
}

function writeUntilFull(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (let size = 1 << 22; size >= 4_096;) {
      try {
        if (writeSync(file, Buffer.alloc(size)) < size) size /= 2;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        size /= 2;
      }
    }
  } finally {
    closeSync(file);
  }
}

export type PowerDisk = {
  folder: string;
  cut: () => void;
  comeBack: () => Promise<void>;
  unmount: () => void;
};

const mebibyte = 1 << 20;

/**
 * An ext4 disk that loses what was not synced when its power is cut, and recovers from its journal when it comes back.
 * Needs Debian's xfsprogs. Null if this user cannot mount one.
 */
export function mountPowerDisk(): PowerDisk | null {
  const parent = mkdtempSync(join(tmpdir(), 'runcost-power-'));
  const [image, folder] = [join(parent, 'image'), join(parent, 'disk')];
  const remove = () => rmSync(parent, { recursive: true });
  const mount = ['-o', 'loop', image, folder];
  mkdirSync(folder);
  closeSync(openSync(image, 'w'));
  truncateSync(image, 1_024 * mebibyte);
  try {
    execFileSync('mkfs.ext4', ['-q', image], { stdio: 'pipe' });
    execFileSync('xfs_io', ['-V'], { stdio: 'pipe' });
    execFileSync('mount', mount, { stdio: 'pipe' });
  } catch {
    remove();
    return null;
  }
  return {
    folder,
    cut: () => void execFileSync('xfs_io', ['-x', '-c', 'shutdown', folder]),
    comeBack: async () => {
      await unmountOnceFree(folder);
      await promisify(execFile)('mount', mount);
    },
    unmount: () => {
      execFileSync('umount', ['-l', folder]);
      remove();
    },
  };
}

/** The last processes that have files open there are ending. */
async function unmountOnceFree(folder: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await promisify(execFile)('umount', [folder]);
      return;
    } catch (error) {
      if (tries === 100) throw error;
      await sleep(100);
    }
  }
}

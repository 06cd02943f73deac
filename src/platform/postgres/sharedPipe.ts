import { execFileSync } from 'node:child_process';
import { closeSync, constants, existsSync, openSync, writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { programEnvironment } from '../../config.ts';
import { PublicError } from '../lib/errors.ts';

/** Each process holds it open for writing: the guard's reading ends with the last, however it ended. */
export type Users = { release: () => void; isServed: () => boolean };

export function makePipe(pipe: string): void {
  if (existsSync(pipe)) return;
  try {
    execFileSync('mkfifo', ['-m', '600', pipe], {
      env: programEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } catch (error) {
    // Another process may have been first.
    if (existsSync(pipe)) return;
    const reason = (error as { stderr?: Buffer }).stderr?.toString().trim() || (error as Error).message;
    throw new PublicError('unavailable', 'run_folder', `The database cannot be started here: ${reason}`);
  }
}

/** Null if no guard reads from the pipe, so no PostgreSQL runs. */
export function joinUsers(pipe: string): Users | null {
  let file: number;
  try {
    file = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (['ENXIO', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
  let isOpen = true;
  return {
    release: () => {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
    isServed: () => {
      if (!isOpen) return false;
      try {
        writeSync(file, '.');
        return true;
      } catch (error) {
        return (error as NodeJS.ErrnoException).code === 'EAGAIN';
      }
    },
  };
}

/** Whether the guard stops reading now, because nobody else uses the PostgreSQL. */
export async function hasLastLeft(pipe: string): Promise<boolean> {
  for (let tries = 0; tries < 200; tries++) {
    const again = joinUsers(pipe);
    if (!again) return true;
    again.release();
    await delay(5);
  }
  return false;
}

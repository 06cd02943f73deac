/** Where servers of a data folder listen, and the operator's token of each. Imports nothing else, so that commands start fast. */
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { isRunning } from './processes.ts';

/** `url` is for this machine, and `publicUrl` for links. */
export type RunningServer = { url: string; publicUrl: string; token: string };

/** The inode shows whether this is a copy, whose server is another. A server of an older version wrote no `publicUrl`. */
type Written = Omit<RunningServer, 'publicUrl'> & { publicUrl?: string; inode: string };

export const operatorPrefix = 'runcost_operator_';

/** Each start has another, and keeps it in memory and in its file. */
export function newOperatorToken(): string {
  return operatorPrefix + randomBytes(32).toString('base64url');
}

/** `DATA_DIR/servers/<pid>.json`, for this user only. Also removes the files of killed servers. */
export function announceServer(dataDir: string, server: RunningServer): () => void {
  const folder = folderIn(dataDir);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  for (const name of namesIn(folder)) if (!isOfRunning(name)) rmSync(join(folder, name), { force: true });
  const path = join(folder, `${process.pid}.json`);
  const unfinished = `${path}.new`;
  rmSync(unfinished, { force: true });
  const file = openSync(unfinished, 'wx', 0o600);
  const { ino } = fstatSync(file, { bigint: true });
  writeSync(file, JSON.stringify({ ...server, inode: String(ino) } satisfies Written));
  closeSync(file);
  renameSync(unfinished, path);
  // In a container, another server with the same process id may have written its own meanwhile.
  return () => void (readServer(path)?.token === server.token && rmSync(path, { force: true }));
}

/** Servers of this folder, the newest first. One that was killed can be among them if its process id is in use again. */
export function findRunningServers(dataDir: string): RunningServer[] {
  const folder = folderIn(dataDir);
  const found = namesIn(folder)
    .filter((name) => name.endsWith('.json') && isOfRunning(name))
    .flatMap((name) => readServer(join(folder, name)) ?? []);
  return found
    .toSorted((a, b) => Number(b.startedAt - a.startedAt))
    .map(({ startedAt: _, ...server }) => server);
}

function folderIn(dataDir: string): string {
  return join(dataDir, 'servers');
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isOfRunning(name: string): boolean {
  const pid = Number(/^\d+/.exec(name)?.[0]);
  return pid === process.pid || isRunning(pid);
}

/** Null if it is gone, unreadable for this user, or a copy. */
function readServer(path: string): (RunningServer & { startedAt: bigint }) | null {
  try {
    const { url, publicUrl = url, token, inode } = JSON.parse(readFileSync(path, 'utf8')) as Written;
    const { ino, mtimeNs } = statSync(path, { bigint: true });
    return inode === String(ino) ? { url, publicUrl, token, startedAt: mtimeNs } : null;
  } catch {
    return null;
  }
}

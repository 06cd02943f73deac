import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Debian's Python, which has Debian's packages; another one may come first in PATH.
const python = '/usr/bin/python3';

export const hasSwift = spawnSync(python, ['-c', 'import swift.proxy, swift.obj.server']).status === 0;

/** Starts OpenStack Swift with its S3 API, one process with a disk in a new folder. */
export async function startSwift(): Promise<{ endpoint: string; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'runcost-swift-'));
  const script = fileURLToPath(new URL('startSwift.py', import.meta.url));
  const swift = spawn(python, [script, folder], { stdio: 'pipe' });
  const ended = once(swift, 'exit');
  let log = '';
  swift.stderr.on('data', (chunk) => (log += String(chunk)));
  let output = '';
  for await (const chunk of swift.stdout.iterator({ destroyOnReturn: false })) {
    output += String(chunk);
    if (output.includes('\n')) break;
  }
  const port = /^port (\d+)/.exec(output)?.[1];
  if (!port) throw new Error(`Swift does not start: ${log}`);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: async () => {
      swift.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

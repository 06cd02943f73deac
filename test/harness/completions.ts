import assert from 'node:assert/strict';
import { runCommand } from './program.ts';

/** Typed lines, and the words that may follow the last space. */
export const answers: [line: string, words: string[]][] = [
  ['runcost pri', ['price']],
  ['runcost price rule ', ['list', 'add', 'update', 'delete']],
  ['runcost price rule add --gr', ['--group']],
  ['runcost token create --role ', ['viewer', 'member', 'admin', 'owner']],
  ['runcost serve --role ', ['api', 'worker', 'all']],
  ['runcost token create --name ', []],
  ['runcost token create --name price --ro', ['--role']],
  ['runcost export --output /et', ['/etc/']],
  ['runcost completion ', ['bash', 'zsh', 'fish']],
];

export async function scriptFor(shell: string): Promise<string> {
  const { code, stdout, stderr } = await runCommand(['completion', shell], {});
  assert.deepEqual([code, stderr], [0, '']);
  return stdout;
}

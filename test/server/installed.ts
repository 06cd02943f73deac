import { spawnSync } from 'node:child_process';

/** The name or path of an installed program; null if none of them is there. */
export function findProgram(...names: string[]): string | null {
  return names.find((name) => spawnSync(name, ['--version']).error === undefined) ?? null;
}

/** Options of a test that needs something installed: without it, the test is skipped and says how to get it. */
export function needs(isThere: unknown, what: string, packages: string): { skip: string | false } {
  return { skip: isThere ? false : `${what} is not installed: apt-get install ${packages}` };
}

import { execFileSync } from 'node:child_process';

/** More than all names of a large repository. */
const maxBuffer = 64 * 1024 * 1024;

export type Git = (...args: string[]) => string;

/** Git's output in this checkout; throws where the command fails. */
export function gitIn(folder: string): Git {
  return (...args) =>
    execFileSync('git', args, {
      ...{ cwd: folder, encoding: 'utf8', maxBuffer },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
}

/** All paths of a commit, or those of a folder of it. */
export function pathsAt(git: Git, sha: string, folder?: string): string[] {
  const only = folder === undefined ? [] : ['--', `${folder}/`];
  const listed = git('ls-tree', '-r', '--name-only', '--full-tree', '-z', sha, ...only);
  return listed.split('\0').filter((path) => path !== '');
}

export function fileAt(git: Git, sha: string, path: string): { path: string; content: string } {
  return { path, content: git('show', `${sha}:${path}`) };
}

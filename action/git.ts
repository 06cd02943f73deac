import { execFileSync } from 'node:child_process';

/** Bytes; more than all file names of a large repository. */
const maxBuffer = 64 * 1024 * 1024;

export type WorkflowFile = { path: string; content: string };

export type Git = (...args: string[]) => string;

/** Git's output in this checkout. Throws if the command fails. */
export function gitIn(folder: string): Git {
  return (...args) =>
    execFileSync('git', args, {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
}

/** All paths of a commit, or of one of its folders. */
export function pathsAt(git: Git, sha: string, folder?: string): string[] {
  const only = folder === undefined ? [] : ['--', `${folder}/`];
  const listed = git('ls-tree', '-r', '--name-only', '--full-tree', '-z', sha, ...only);
  return listed.split('\0').filter((path) => path !== '');
}

export function fileAt(git: Git, sha: string, path: string): WorkflowFile {
  return { path, content: git('show', `${sha}:${path}`) };
}

/** The server rejects longer files. */
const maxCharacters = 256 * 1024;

/** Leaves out files that the server rejects, on both sides: otherwise their jobs would look new or removed. */
export function sendable(
  base: readonly WorkflowFile[],
  head: readonly WorkflowFile[],
): { from: WorkflowFile[]; to: WorkflowFile[] } {
  const left = new Map<string, string>();
  for (const { path, content } of [...base, ...head]) {
    if (content.length > maxCharacters) left.set(path, 'more than 256 KiB');
    else if (content.includes('\0')) left.set(path, 'a null character');
  }
  for (const [path, what] of left)
    console.log(`${path} has ${what}, so the estimate does not include its jobs.`);
  const [from, to] = [base, head].map((files) => files.filter(({ path }) => !left.has(path)));
  return { from: from!, to: to! };
}

import { execFile } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { environmentWith } from '../../config.ts';
import type { PlanFile, WorkflowFiles } from '../../ledger/pricing/plan.ts';
import { invalid, invalidAt, PublicError } from '../../platform/lib/errors.ts';
import { isStorable } from '../../platform/lib/text.ts';

export type Side = 'base' | 'head';

type Revision = { paths: readonly string[]; read: (path: string) => Promise<string> };

/** `given` is a folder, or a ref of the clone in `folder`. */
type Asked = { side: Side; given: string | undefined; folder: string };

/** The workflow files of a revision, and all of its files that they include. */
export async function readRevision(of: Asked, kinds: readonly WorkflowFiles[]): Promise<PlanFile[]> {
  const { paths, read } = await openRevision(of);
  const files = new Map<string, PlanFile>();
  let open = paths.filter((path) => kinds.some(({ isEntry }) => isEntry(path)));
  while (open.length > 0) {
    for (const path of open) files.set(path, { path, content: storable(path, await read(path)) });
    const asked = open.flatMap((path) => kinds.map((kind) => kind.includedBy(files.get(path)!, paths)));
    open = [...new Set((await Promise.all(asked)).flat())].filter((path) => !files.has(path));
  }
  return [...files.values()];
}

/** Checked here, because the server's error would name the place in the request, not the file. */
function storable(path: string, content: string): string {
  if (isStorable(content)) return content;
  throw invalidAt(path, 'has a null character, which no workflow file has');
}

async function openRevision({ side, given, folder }: Asked) {
  const path = resolve(folder, given ?? '.');
  if (given !== undefined && existsSync(path) && statSync(path).isDirectory()) return openFolder(path, side);
  if (given !== undefined) return openCommit(folder, await commitOf(folder, side, given));
  if (side === 'head') return openWorkingTree(folder);
  return openCommit(folder, await mergeBase(folder));
}

const maxPaths = 100_000;

function openFolder(folder: string, side: Side): Revision {
  const paths: string[] = [];
  const open = [folder];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const entry of readdirSync(next, { withFileTypes: true })) {
      const path = join(next, entry.name);
      if (entry.isDirectory() && entry.name !== '.git' && entry.name !== 'node_modules') open.push(path);
      if (entry.isFile()) paths.push(relative(folder, path).split(sep).join('/'));
    }
    if (paths.length > maxPaths) throw invalid(side, `has more than ${maxPaths} files: ${folder}`);
  }
  return { paths: paths.toSorted(), read: async (path) => readFileSync(join(folder, path), 'utf8') };
}

async function openWorkingTree(folder: string): Promise<Revision> {
  const top = (await git(folder, 'rev-parse', '--show-toplevel')).trimEnd();
  const listed = await git(top, 'ls-files', '-z', '--cached', '--others', '--exclude-standard');
  // A link may lead out of the clone, to a device or a secret.
  const isFile = (path: string) => lstatSync(join(top, path), { throwIfNoEntry: false })?.isFile() ?? false;
  const paths = [...new Set(listed.split('\0'))].filter((path) => path !== '' && isFile(path));
  return { paths, read: async (path) => readFileSync(join(top, path), 'utf8') };
}

async function openCommit(folder: string, commit: string): Promise<Revision> {
  const listed = await git(folder, 'ls-tree', '-r', '-z', '--name-only', '--full-tree', commit);
  return {
    paths: listed.split('\0').filter((path) => path !== ''),
    read: (path) => git(folder, 'cat-file', 'blob', `${commit}:${path}`),
  };
}

async function commitOf(folder: string, side: Side, ref: string): Promise<string> {
  try {
    const args = ['--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
    return (await git(folder, 'rev-parse', ...args)).trim();
  } catch (error) {
    if ((error as PublicError).code !== 'git_failed') throw error;
    throw invalid(side, `is not a folder or a commit: ${ref}`);
  }
}

async function mergeBase(folder: string): Promise<string> {
  const refs = ['refs/remotes/origin/HEAD', 'origin/main', 'origin/master', 'main', 'master'];
  for (const ref of refs) {
    const isThere = await git(folder, 'rev-parse', '--verify', '--quiet', `${ref}^{commit}`).then(
      Boolean,
      () => false,
    );
    if (!isThere) continue;
    try {
      return (await git(folder, 'merge-base', 'HEAD', ref)).trim();
    } catch {
      const message = `is required, or the whole history: ${ref} and HEAD have no common commit here`;
      throw invalid('base', message);
    }
  }
  throw invalid('base', 'is required: this folder has no main or master branch');
}

/** `owner/name` of the remote origin. */
export async function originRepository(folder: string): Promise<string> {
  const url = await git(folder, 'remote', 'get-url', 'origin').catch((error: PublicError) => {
    if (error.code !== 'git_failed') throw error;
    return '';
  });
  // A password is before an @. It must not be printed or sent.
  const pattern = /^(?:[\w.+-]+:\/\/[^/]+\/|(?!.*:\/\/)[^/]*:)([^@?#]+?)(?:\.git)?\/?$/;
  const [, path] = pattern.exec(url.trim()) ?? [];
  if (path === undefined || !path.includes('/'))
    throw invalid('repository', 'is required, such as acme/api: there is no git remote origin that names it');
  return path;
}

const maxBytes = 64 * 1024 * 1024;

async function git(folder: string, ...args: string[]): Promise<string> {
  try {
    // The settings of a clone may name a program that watches its files.
    const all = ['-c', 'core.fsmonitor=false', '-C', folder, ...args];
    // A remote may be a command, so we fetch nothing. Git before 2.39.4 knows only the second variable.
    const env = environmentWith({ GIT_NO_LAZY_FETCH: '1', GIT_ALLOW_PROTOCOL: 'none' });
    return (await promisify(execFile)('git', all, { env, maxBuffer: maxBytes })).stdout;
  } catch (error) {
    const { code, stderr } = error as NodeJS.ErrnoException & { stderr?: string };
    if (code === 'ENOENT') {
      const message = 'git is not installed. Install it, or name folders in place of revisions.';
      throw new PublicError('invalid', 'git_missing', message);
    }
    const reason = (stderr ?? '').trim().split('\n').at(-1);
    throw new PublicError('invalid', 'git_failed', `git ${args[0]} failed: ${reason}`);
  }
}

import { includeTest } from '../src/intake/providers/gitlab/includePath.ts';
import { fileAt, gitIn, pathsAt, sendable, type WorkflowFile } from './git.ts';

const entry = '.gitlab-ci.yml';
const maxFiles = 100;

/**
 * The files of two commits of the checkout in `folder`. Empty if both are the same, or if the checkout lacks a commit.
 */
export function readChange(folder: string, baseSha: string, headSha: string): object {
  try {
    const [base, head] = [filesAt(folder, baseSha), filesAt(folder, headSha)];
    const { from, to } = sendable(base, head);
    if (JSON.stringify(from) === JSON.stringify(to)) return {};
    return { base: { files: from }, head: { files: to } };
  } catch {
    console.log('The checkout lacks a commit, so there is no estimate: set GIT_DEPTH to 0 in this job.');
    return {};
  }
}

/** `.gitlab-ci.yml` and the files of the repository that it includes, directly or not. */
function filesAt(folder: string, sha: string): WorkflowFile[] {
  const git = gitIn(folder);
  const paths = pathsAt(git, sha).filter((path) => /\.ya?ml$/.test(path));
  const found = new Map<string, WorkflowFile>();
  const open = new Set<string>(paths.includes(entry) ? [entry] : []);
  for (const path of open) {
    if (found.size === maxFiles) {
      console.log(`The estimate includes only the first ${maxFiles} files of GitLab CI.`);
      break;
    }
    const file = fileAt(git, sha, path);
    found.set(path, file);
    for (const included of includesIn(file.content))
      for (const each of paths.filter(includeTest(included))) open.add(each);
  }
  return [...found.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** The paths and patterns in `include`. Parsed line by line, because this program has no YAML library. */
function includesIn(content: string): string[] {
  const lines = content.split(/\r?\n/).filter((line) => !/^\s*(?:#|$)/.test(line));
  const start = lines.findIndex((line) => line.startsWith('include:'));
  if (start === -1) return [];
  const after = lines.slice(start + 1);
  const end = after.findIndex((line) => /^(?:[^\s-]|---)/.test(line));
  const inline = lines[start]!.slice('include:'.length).trim();
  const [, list] = /^\[([^[\]{}]*)\]/.exec(inline) ?? [];
  const named = list?.split(',') ?? (inline ? [inline] : entriesOf(end === -1 ? after : after.slice(0, end)));
  return named.map(pathIn).filter((path) => path !== null);
}

/** Matches `- path`, `- local: path`, and `local: path` as a later key of an entry, but nothing nested deeper. */
function entriesOf(lines: readonly string[]): string[] {
  let column: number | null = null;
  const shallowest = Math.min(...lines.map((line) => line.search(/\S/)));
  return lines.flatMap((line) => {
    const [, indent = '', dash = '', text = ''] = /^(\s*)(-\s+)?(.*)$/.exec(line) ?? [];
    if (indent.length === shallowest) column = indent.length + dash.length;
    else if (dash || indent.length !== column) return [];
    const [, local] = /^local:\s+(.*)$/.exec(text) ?? [];
    return local === undefined ? (dash ? [text] : []) : [local];
  });
}

/** Removes quotes, comments and the leading slash; null if the rest is not a plain path. */
function pathIn(text: string): string | null {
  const [, single, double, plain] =
    /^(?:'([^']*)'|"([^"\\]*)"|([^\s'"#[\]{}|>&*!][^\s#]*))\s*(?:#.*)?$/.exec(text.trim()) ?? [];
  return (single ?? double ?? plain)?.replace(/^\/+/, '') ?? null;
}

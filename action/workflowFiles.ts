import { execFileSync } from 'node:child_process';
import type { GitHub } from './gitHub.ts';

type WorkflowFile = { path: string; content: string };
type Revision = { files: WorkflowFile[] };

const folder = '.github/workflows';
const isWorkflow = (path: string) => /^\.github\/workflows\/[^/]+\.ya?ml$/.test(path);

/** The workflow files of two commits; null if they are the same, or GitHub does not show them. */
export async function readWorkflows(
  gitHub: GitHub,
  workspace: string | undefined,
  [baseSha, headSha]: readonly [string, string],
): Promise<{ base: Revision; head: Revision } | null> {
  const read = (sha: string) => fromGit(workspace, sha) ?? fromApi(gitHub, sha);
  const [base, head] = [await read(baseSha), await read(headSha)];
  if (!base || !head || JSON.stringify(base) === JSON.stringify(head)) return null;
  return { base: { files: base }, head: { files: head } };
}

/** Null if the commit is not checked out: `actions/checkout` fetches one commit by default. */
function fromGit(workspace: string | undefined, sha: string): WorkflowFile[] | null {
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: workspace ?? '.',
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  try {
    const names = git('ls-tree', '-r', '--name-only', '-z', sha, '--', `${folder}/`);
    const paths = names.split('\0').filter(isWorkflow).toSorted();
    return paths.map((path) => ({ path, content: git('show', `${sha}:${path}`) }));
  } catch {
    return null;
  }
}

async function fromApi(gitHub: GitHub, sha: string): Promise<WorkflowFile[] | null> {
  const listed = await gitHub.ask('GET', `/contents/${folder}?ref=${sha}`);
  if (listed.status === 404) return [];
  if (listed.status >= 300 || !Array.isArray(listed.data)) return null;
  const paths = (listed.data as { path: string }[]).map(({ path }) => path).filter(isWorkflow);
  const files: WorkflowFile[] = [];
  for (const path of paths.toSorted()) {
    const { status, data } = await gitHub.ask('GET', `/contents/${path}?ref=${sha}`);
    if (status >= 300) return null;
    const { content } = data as { content: string };
    files.push({ path, content: Buffer.from(content, 'base64').toString() });
  }
  return files;
}

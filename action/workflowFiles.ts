import { isWorkflowFile, workflowFolder } from '../src/intake/providers/github/workflowPath.ts';
import { fileAt, gitIn, pathsAt, sendable, type WorkflowFile } from './git.ts';
import type { GitHub } from './gitHub.ts';

type Revision = { files: WorkflowFile[] };

/** The workflow files of two commits; null if they are equal or GitHub does not return them. */
export async function readWorkflows(
  gitHub: GitHub,
  workspace: string | undefined,
  [baseSha, headSha]: readonly [string, string],
): Promise<{ base: Revision; head: Revision } | null> {
  const read = (sha: string) => fromGit(workspace, sha) ?? fromApi(gitHub, sha);
  const [base, head] = [await read(baseSha), await read(headSha)];
  if (!base || !head) return null;
  const { from, to } = sendable(base, head);
  if (JSON.stringify(from) === JSON.stringify(to)) return null;
  return { base: { files: from }, head: { files: to } };
}

/** Null if the commit is not checked out: `actions/checkout` fetches only one commit by default. */
function fromGit(workspace: string | undefined, sha: string): WorkflowFile[] | null {
  const git = gitIn(workspace ?? '.');
  try {
    const paths = pathsAt(git, sha, workflowFolder).filter(isWorkflowFile).toSorted();
    return paths.map((path) => fileAt(git, sha, path));
  } catch {
    return null;
  }
}

async function fromApi(gitHub: GitHub, sha: string): Promise<WorkflowFile[] | null> {
  const listed = await gitHub.ask('GET', `/contents/${workflowFolder}?ref=${sha}`);
  if (listed.status === 404) return [];
  if (listed.status >= 300 || !Array.isArray(listed.data)) return null;
  const paths = (listed.data as { path: string }[]).map(({ path }) => path).filter(isWorkflowFile);
  const files: WorkflowFile[] = [];
  for (const path of paths.toSorted()) {
    const { status, data } = await gitHub.ask('GET', `/contents/${path}?ref=${sha}`);
    if (status >= 300) return null;
    const { content } = data as { content: string };
    files.push({ path, content: Buffer.from(content, 'base64').toString() });
  }
  return files;
}

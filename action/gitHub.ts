import { faultOf, fetchPatiently, jsonOf, textOf, TooLongWait } from './fetchPatiently.ts';

const marker = '<!-- runcost -->';
const checkName = 'Runcost';
const perPage = 100;

export type GitHub = {
  ask: (method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) => Promise<Answer>;
  /** The id of the person or bot that the token belongs to. */
  askViewer: () => Promise<number>;
};

type Answer = { status: number; data: unknown; message: string };

type Place = { apiUrl: string; graphqlUrl: string; repository: string };

export function createGitHub({ apiUrl, graphqlUrl, repository }: Place, token: string): GitHub {
  async function send(method: string, url: string, body?: object): Promise<Answer> {
    const answer = await fetchPatiently(url, {
      method,
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${token}`,
        'x-github-api-version': '2022-11-28',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      if (error instanceof TooLongWait) throw error;
      throw new Error(`GitHub's API at ${apiUrl} gives no answer (${faultOf(error)}).`);
    });
    const text = await textOf(answer);
    const isJson = answer.headers.get('content-type')?.includes('json');
    const data: unknown = isJson ? jsonOf(text, new URL(url).host) : text;
    const { message = '' } = (data ?? {}) as { message?: string };
    return { status: answer.status, data, message };
  }
  return {
    ask: (method, path, body) => send(method, `${apiUrl}/repos/${repository}${path}`, body),
    askViewer: async () => {
      // `GET /user` works for people only; this also works for a job's own token and for Apps.
      const query = 'query { viewer { databaseId } }';
      const { data } = requireWrite(await send('POST', graphqlUrl, { query }), []);
      const { data: found } = (data ?? {}) as { data?: { viewer?: { databaseId?: unknown } } | null };
      const id = found?.viewer?.databaseId;
      if (typeof id === 'number') return id;
      throw new Error('GitHub does not say whose token github-token is, so Runcost cannot find its comment.');
    },
  };
}

type Comment = { id: number; body?: string; user: { id: number } | null };

/** Keeps a single comment, however often this runs: the token's own comment that starts with the mark. */
export async function keepComment(gitHub: GitHub, number: number, markdown: string): Promise<void> {
  const body = { body: markdown };
  const found = await findComment(gitHub, number);
  if (found?.body?.trim() === markdown.trim()) return;
  if (found) {
    const { status } = requireWrite(await gitHub.ask('PATCH', `/issues/comments/${found.id}`, body));
    if (status !== 404) return; // Somebody may have deleted it meanwhile.
  }
  requireWrite(await gitHub.ask('POST', `/issues/${number}/comments`, body), []);
}

async function findComment(gitHub: GitHub, number: number): Promise<Comment | null> {
  let viewer: number | null = null;
  for (let page = 1; ; page++) {
    const path = `/issues/${number}/comments?per_page=${perPage}&page=${page}`;
    const comments = requireWrite(await gitHub.ask('GET', path), []).data as Comment[];
    const marked = comments.filter(({ body }) => body?.startsWith(marker));
    if (marked.length > 0) viewer ??= await gitHub.askViewer();
    const found = marked.find(({ user }) => user?.id === viewer);
    if (found) return found;
    if (comments.length < perPage) return null;
  }
}

function requireWrite(answer: Answer, accepted: readonly number[] = [404]): Answer {
  const { status, message } = answer;
  if (status < 300 || accepted.includes(status)) return answer;
  const advice =
    status === 401 || status === 403 || status === 404
      ? 'Give the job `permissions: pull-requests: write`, or set `comment: false`.'
      : 'Run the job again later.';
  throw new Error(`GitHub refuses the comment (${status}: ${message}). ${advice}`);
}

/** Returns false if the token may not set checks. The latest check of this name on a commit counts. */
export async function createCheck(
  gitHub: GitHub,
  headSha: string,
  { conclusion, title, summary }: { conclusion: string; title: string; summary: string },
): Promise<boolean> {
  const output = { title, summary };
  const check = { name: checkName, head_sha: headSha, status: 'completed', conclusion, output };
  const { status, message } = await gitHub.ask('POST', '/check-runs', check);
  if (status === 403 || status === 404) return false;
  if (status >= 300) throw new Error(`GitHub refuses the check (${status}: ${message}).`);
  return true;
}

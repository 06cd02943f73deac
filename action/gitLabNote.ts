/** A job of GitLab CI: keeps one note on a merge request up to date. It has no dependencies, so any Node 24 can run it. */
import { faultOf, fetchPatiently, jsonOf, textOf, TooLongWait } from './fetchPatiently.ts';
import { dollarsIn, quotedAddress, serverAddressIn, tokenFault, tokenIn } from './forms.ts';
import { readChange } from './gitLabFiles.ts';
import { reportIn } from './report.ts';

const marker = '<!-- runcost -->';
const env: Record<string, string | undefined> = process.env;

async function main(): Promise<void> {
  const number = env['CI_MERGE_REQUEST_IID'];
  if (!number) return console.log('This pipeline belongs to no merge request, so Runcost reports nothing.');
  if (!env['RUNCOST_TOKEN'] || !env['GITLAB_TOKEN'])
    return console.log(
      'RUNCOST_TOKEN or GITLAB_TOKEN is empty, as in pipelines of forks and of branches that are not protected: Runcost ' +
        'reports nothing.',
    );
  const [url, token] = [readAddress(required('RUNCOST_URL')), tokenOf('RUNCOST_TOKEN')];
  const gitLabToken = tokenOf('GITLAB_TOKEN');
  const limit = env['RUNCOST_FAIL_ABOVE'];
  // In merged results pipelines, the commit also contains the target's changes.
  const headSha = env['CI_MERGE_REQUEST_SOURCE_BRANCH_SHA'] || required('CI_COMMIT_SHA');
  if (limit && dollarsIn(limit) === null)
    throw new Error('RUNCOST_FAIL_ABOVE must be US dollars as a plain number, such as 5 or 2.50.');
  const answer = await ask(`${url}/api/v1/pull-request-reports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: {
      ...readChange('.', required('CI_MERGE_REQUEST_DIFF_BASE_SHA'), headSha),
      repository: required('CI_MERGE_REQUEST_PROJECT_PATH'),
      pull_request: Number(number),
      provider: providerOf(required('CI_SERVER_URL')),
      ...(limit && { fail_above: Number(limit) }),
    },
  });
  const { markdown, check } = reportIn(answer, new URL(url).host);
  await keepNote(Number(number), markdown, gitLabToken);
  console.log(check.title);
  if (check.conclusion === 'failure') process.exitCode = 1;
}

function required(name: string): string {
  const value = env[name]?.trim();
  if (value) return value;
  throw new Error(`${name} is empty.`);
}

function tokenOf(name: string): string {
  const token = tokenIn(required(name));
  if (token !== null) return token;
  throw new Error(`${name} ${tokenFault}.`);
}

function readAddress(text: string): string {
  const url = serverAddressIn(text);
  if (url !== null) return url;
  const fault = `RUNCOST_URL ${quotedAddress(text)}`;
  throw new Error(
    `${fault}. It is the address of your Runcost server, such as https://runcost.acme.example.`,
  );
}

/** The repository's name as GitLab's webhooks report it. */
function providerOf(serverUrl: string): string {
  const { host } = new URL(serverUrl);
  return host === 'gitlab.com' ? 'gitlab' : `gitlab.${host}`;
}

type Note = { id: number; body: string; system: boolean; author: { id: number } };

/** The first note of the token's own user that starts with the mark. Notes of others are left alone. */
async function keepNote(number: number, markdown: string, token: string): Promise<void> {
  const api = required('CI_API_V4_URL');
  const headers = { 'private-token': token };
  const notes = `${api}/projects/${required('CI_MERGE_REQUEST_PROJECT_ID')}/merge_requests/${number}/notes`;
  const { id: own } = (await ask(`${api}/user`, { headers })) as { id: number };
  for (let page = 1; ; page++) {
    const query = `sort=asc&order_by=created_at&per_page=100&page=${page}`;
    const listed = (await ask(`${notes}?${query}`, { headers })) as Note[];
    const found = listed.find(
      ({ body, system, author }) => !system && author.id === own && body.startsWith(marker),
    );
    if (found?.body.trim() === markdown.trim()) return;
    const body = { body: markdown };
    if (found) return void (await ask(`${notes}/${found.id}`, { method: 'PUT', headers, body }));
    if (listed.length < 100) return void (await ask(notes, { method: 'POST', headers, body }));
  }
}

type Asked = { method?: string; headers: Record<string, string>; body?: object };

async function ask(url: string, { method = 'GET', headers, body }: Asked): Promise<unknown> {
  const { host } = new URL(url);
  const answer = await fetchPatiently(url, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    // Redirects are not followed: `private-token` would be sent to another host.
    redirect: 'error',
    ...(body && { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    if (error instanceof TooLongWait) throw error;
    throw new Error(`${host} gives no answer: ${faultOf(error)}`);
  });
  const text = await textOf(answer);
  if (answer.ok) return jsonOf(text, host);
  const reason = /"(?:detail|message|error_description)":"([^"]{0,500})/.exec(text)?.[1] ?? 'no reason';
  const isGitLab = 'private-token' in headers;
  const advice = isGitLab
    ? 'GITLAB_TOKEN needs the scope api and the role Reporter or higher.'
    : 'RUNCOST_TOKEN needs the scope costs:read.';
  throw new Error(
    `${host} answers ${answer.status} (${reason}). ${[401, 403, 404].includes(answer.status) ? advice : ''}`,
  );
}

try {
  await main();
} catch (error) {
  console.error(`Runcost: ${(error as Error).message}`);
  process.exitCode = 1;
}

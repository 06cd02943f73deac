/** The program of `action.yml`. GitHub's runner starts it with its own Node, so it has no dependencies. */
import { appendFileSync, readFileSync } from 'node:fs';
import { faultOf, fetchPatiently, jsonOf, textOf, TooLongWait } from './fetchPatiently.ts';
import { createCheck, createGitHub, keepComment, type GitHub } from './gitHub.ts';
import { InputError, readInputs, type Inputs } from './inputs.ts';
import { reportIn, type Report } from './report.ts';
import { readWorkflows } from './workflowFiles.ts';

type Environment = Record<string, string | undefined>;

type PullRequest = {
  number: number;
  headSha: string;
  isFork: boolean;
  /** The commits whose workflow files are compared; null if the event does not name them. */
  compared: readonly [base: string, head: string] | null;
};

const env: Environment = process.env;

async function main(): Promise<void> {
  const event = JSON.parse(readFileSync(env['GITHUB_EVENT_PATH'] ?? '', 'utf8')) as Event;
  const pullRequest = pullRequestOf(event);
  const inputs = readInputs(env);
  if (inputs.token === '') {
    const reason = secretsAreMissing(pullRequest);
    if (reason === null) throw new InputError('token', 'is empty', tokenAdvice);
    return notice(`${reason}, so this run gets no secrets and Runcost reports nothing here.`);
  }
  if (inputs.report === 'run') return writeReceipt(inputs);
  if (inputs.report === 'amounts') return reportAmounts(inputs);
  if (!pullRequest) return notice(`The event ${env['GITHUB_EVENT_NAME']} belongs to no pull request.`);
  await reportPullRequest(inputs, pullRequest);
}

const tokenAdvice =
  'Create one with `runcost token create --name actions --role viewer --scope costs:read`, store it as a secret, and ' +
  'pass `token: ${{ secrets.RUNCOST_TOKEN }}`.';

type Event = {
  pull_request?: PullRequestFields;
  workflow_run?: { head_sha: string; pull_requests?: { number: number; head: { sha: string } }[] };
};

type PullRequestFields = {
  number: number;
  head: { sha: string; repo: { full_name: string } | null };
  base: { sha: string; repo: { full_name: string } };
};

function pullRequestOf({ pull_request: own, workflow_run: run }: Event): PullRequest | null {
  if (own) {
    const isFork = own.head.repo?.full_name !== own.base.repo.full_name;
    // GitHub's test merge commit: the base may have moved since the branch was created.
    const merge = env['GITHUB_EVENT_NAME'] === 'pull_request' ? env['GITHUB_SHA'] : undefined;
    const compared = merge === undefined ? null : ([own.base.sha, merge] as const);
    return { number: own.number, headSha: own.head.sha, isFork, compared };
  }
  const [first] = run?.pull_requests ?? [];
  return first && run ? { number: first.number, headSha: run.head_sha, isFork: false, compared: null } : null;
}

/** Null if a required secret is missing. */
function secretsAreMissing(pullRequest: PullRequest | null): string | null {
  if (pullRequest?.isFork) return 'This pull request comes from a fork';
  return env['GITHUB_ACTOR'] === 'dependabot[bot]' ? 'Dependabot started this run' : null;
}

/** The repository's name as GitHub's webhooks report it. */
function providerOf(): string {
  const { host } = new URL(env['GITHUB_SERVER_URL'] ?? 'https://github.com');
  return host === 'github.com' ? 'github' : `github.${host}`;
}

function pathOfRun(): string {
  return `/api/v1/runs/${encodeURIComponent(`run_${providerOf()}_${env['GITHUB_RUN_ID']}`)}`;
}

/** Each job replaces what it reported before in this attempt. */
async function reportAmounts({ url, token, amounts }: Inputs): Promise<void> {
  const key = env['GITHUB_JOB'] ?? '';
  const body = { amounts, run_attempt: Number(env['GITHUB_RUN_ATTEMPT'] ?? 1), ...(key && { key }) };
  const answer = await askRuncost(url, token, `${pathOfRun()}/amounts`, body, 'PUT');
  if (answer.status === 404) return notice(noEventYet);
  await readAnswer(answer, url);
  notice(`Reported ${amounts.length === 1 ? 'an amount' : `${amounts.length} amounts`} to Runcost.`);
}

const noEventYet =
  'Runcost has no event of this run yet. Is the repository connected, and reached by its webhook?';

async function writeReceipt({ url, token }: Inputs): Promise<void> {
  const answer = await askRuncost(url, token, `${pathOfRun()}/receipt.md`);
  if (answer.status === 404) return notice(noEventYet);
  summarize(await readAnswer(answer, url));
}

async function reportPullRequest(inputs: Inputs, { number, headSha, compared }: PullRequest): Promise<void> {
  const { url, token, failAbove } = inputs;
  const repository = env['GITHUB_REPOSITORY']!;
  const apiUrl = env['GITHUB_API_URL'] ?? 'https://api.github.com';
  const graphqlUrl = env['GITHUB_GRAPHQL_URL'] ?? 'https://api.github.com/graphql';
  const gitHub = createGitHub({ apiUrl, graphqlUrl, repository }, inputs.gitHubToken);
  const workflows = compared && (await readWorkflows(gitHub, env['GITHUB_WORKSPACE'], compared));
  const answer = await askRuncost(url, token, '/api/v1/pull-request-reports', {
    ...workflows,
    repository,
    pull_request: number,
    provider: providerOf(),
    ...(failAbove !== null && { fail_above: failAbove }),
  });
  const { host } = new URL(url);
  const { markdown, check } = reportIn(jsonOf(await readAnswer(answer, url), host), host);
  summarize(markdown);
  if (inputs.comment) await keepComment(gitHub, number, markdown);
  await publishCheck(gitHub, headSha, check);
}

async function publishCheck(gitHub: GitHub, headSha: string, check: Report['check']): Promise<void> {
  if (await createCheck(gitHub, headSha, check)) return notice(`Check: ${check.conclusion}. ${check.title}`);
  const how = 'Give the job `permissions: checks: write` for a check of its own.';
  if (check.conclusion === 'failure') throw new Error(`${check.title}. ${how}`);
  notice(`${check.title}. ${how}`);
}

async function askRuncost(
  url: string,
  token: string,
  path: string,
  body?: object,
  method = body ? 'POST' : 'GET',
): Promise<Response> {
  try {
    return await fetchPatiently(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      redirect: 'manual',
      ...(body && { body: JSON.stringify(body) }),
    });
  } catch (error) {
    if (error instanceof TooLongWait) throw error;
    const advice = 'Is it the address of your Runcost server, and may this runner reach it?';
    throw new InputError('url', `${url} gives no answer (${faultOf(error)})`, advice);
  }
}

async function readAnswer(answer: Response, url: string): Promise<string> {
  const text = await textOf(answer);
  if (answer.ok) return text;
  const moved = URL.parse(answer.headers.get('location') ?? '', url);
  if (answer.status < 400 && moved)
    throw new InputError('url', `${url} redirects to ${moved.origin}`, 'Write the address that answers.');
  if (answer.status === 401)
    throw new InputError('token', 'is not a token of this Runcost server', tokenAdvice);
  const detail = /"detail":"([^"]{0,500})/.exec(text)?.[1] ?? `status ${answer.status}`;
  if (answer.status === 403) throw new InputError('token', `is refused: ${detail}`, tokenAdvice);
  throw new Error(`Runcost at ${url} answers: ${detail}`);
}

function summarize(markdown: string): void {
  const file = env['GITHUB_STEP_SUMMARY'];
  if (file) appendFileSync(file, `${markdown}\n`);
}

function notice(text: string): void {
  console.log(`::notice title=Runcost::${commandText(text)}`);
}

/** https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions */
function commandText(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

try {
  await main();
} catch (error) {
  console.log(`::error title=Runcost::${commandText((error as Error).message)}`);
  process.exitCode = 1;
}

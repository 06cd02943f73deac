import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A parsed webhook body. */
export type Payload = { [field: string]: unknown };
export type EventExamples = { name: string; examples: Payload[] };

const folders = ['api.github.com', 'ghes-35', 'ghes-34', 'ghes-33', 'ghes-32', 'ghes-31'];
const loaded = new Map<string, EventExamples[]>();

/** Recorded payloads of every event, from GitHub and from five versions of GitHub Enterprise Server. */
export function gitHubExamples(): EventExamples[] {
  return folders.flatMap((folder) => examplesIn(folder));
}

function examplesIn(folder: string): EventExamples[] {
  const known = loaded.get(folder);
  if (known) return known;
  const path = `../../node_modules/@octokit/webhooks-examples/${folder}/index.json`;
  const examples: EventExamples[] = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
  loaded.set(folder, examples);
  return examples;
}

/** Shorthand fields, in addition to GitHub's own. */
type Surroundings = { action?: string; repository?: string; private?: boolean };
type PullRequest = { number: number; head: { ref: string }; base?: { repo: { id: number } } };
type RunFields = {
  id?: number;
  run_attempt?: number;
  name?: string;
  path?: string;
  event?: string;
  head_branch?: string;
  status?: string;
  conclusion?: string | null;
  created_at?: string;
  run_started_at?: string;
  updated_at?: string;
  actor?: string;
  /** Who triggered the attempt; by default the actor. */
  triggeredBy?: string;
  pull_requests?: PullRequest[];
};
type JobFields = {
  id?: number;
  run_id?: number;
  run_attempt?: number;
  name?: string;
  workflow_name?: string;
  head_branch?: string;
  status?: string;
  conclusion?: string | null;
  created_at?: string;
  started_at?: string | null;
  completed_at?: string | null;
  labels?: string[];
  runner_name?: string | null;
  runner_group_name?: string | null;
};

const runId = 7_000_000_001;
const workflowName = 'Build';
const createdAt = '2026-11-20T10:00:00Z';

/** A `workflow_run` payload, by default the successful first attempt of a run in a private repository. */
export function gitHubRun(overrides: RunFields & Surroundings = {}): Payload {
  const { action, repository, private: isPrivate, actor = 'mona', ...others } = overrides;
  const { triggeredBy = actor, ...fields } = others;
  const payload = structuredClone(realExample('workflow_run'));
  const { status = 'completed', created_at = createdAt, name = workflowName } = fields;
  const { run_started_at = created_at, path = '.github/workflows/build.yml' } = fields;
  const userOf = (login: string) => ({ ...(payload['sender'] as Payload), login });
  return {
    ...payload,
    action: action ?? (status === 'in_progress' || status === 'completed' ? status : 'requested'),
    repository: repositoryOf(payload, repository, isPrivate),
    sender: userOf(triggeredBy),
    workflow: { ...(payload['workflow'] as Payload), name, path },
    workflow_run: {
      ...(payload['workflow_run'] as Payload),
      id: runId,
      run_attempt: 1,
      event: 'push',
      head_branch: 'main',
      conclusion: status === 'completed' ? 'success' : null,
      updated_at: status === 'completed' ? secondsAfter(run_started_at, 70) : run_started_at,
      ...fields,
      name,
      path,
      status,
      created_at,
      run_started_at,
      actor: userOf(actor),
      triggering_actor: userOf(triggeredBy),
    },
  };
}

/** A `workflow_job` payload of that run, by default a successful minute on `ubuntu-latest`. */
export function gitHubJob(overrides: JobFields & Surroundings = {}): Payload {
  const { action, repository, private: isPrivate, ...fields } = overrides;
  const payload = structuredClone(realExample('workflow_job'));
  const record = payload['workflow_job'] as Payload;
  const { status = 'completed', created_at = createdAt } = fields;
  const { conclusion = status === 'completed' ? 'success' : null } = fields;
  const taken = (status === 'completed' && conclusion !== 'skipped') || status === 'in_progress';
  const started_at = fields.started_at === undefined ? startOf(created_at, taken) : fields.started_at;
  return {
    ...payload,
    action: action ?? status,
    repository: repositoryOf(payload, repository, isPrivate),
    workflow_job: {
      ...record,
      id: 8_000_000_001,
      run_id: runId,
      run_attempt: 1,
      name: 'test',
      workflow_name: workflowName,
      completed_at: status === 'completed' ? secondsAfter(started_at ?? created_at, taken ? 60 : 0) : null,
      labels: ['ubuntu-latest'],
      runner_id: taken ? 5 : null,
      runner_name: taken ? 'GitHub Actions 5' : null,
      runner_group_id: taken ? 2 : null,
      runner_group_name: taken ? 'GitHub Actions' : null,
      steps: taken ? record['steps'] : [],
      ...fields,
      status,
      conclusion,
      created_at,
      started_at,
    },
  };
}

/** A `pull_request` payload of acme/api, by default of number 42 being opened. */
export function gitHubPullRequest(fields: Payload = {}, action = 'opened'): Payload {
  const payload = structuredClone(realExample('pull_request'));
  const record = payload['pull_request'] as Payload;
  return {
    ...payload,
    action,
    repository: repositoryOf(payload),
    pull_request: { ...record, number: 42, created_at: createdAt, updated_at: createdAt, ...fields },
  };
}

/** The `X-Hub-Signature-256` header that GitHub sends with `body`. */
export function signGitHub(body: string | Buffer, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
}

/** A recorded event of a successful job or run, in the current format. */
function realExample(eventName: 'workflow_run' | 'workflow_job' | 'pull_request'): Payload {
  const { examples } = examplesIn('api.github.com').find(({ name }) => name === eventName)!;
  if (eventName === 'pull_request') return examples.find(({ action }) => action === 'opened')!;
  return examples.find((example) => (example[eventName] as Payload)['conclusion'] === 'success')!;
}

function repositoryOf(payload: Payload, fullName = 'octo-org/octo-repo', isPrivate = true): Payload {
  const repository = payload['repository'] as Payload;
  const [login, name] = fullName.split('/');
  return {
    ...repository,
    full_name: fullName,
    name,
    owner: { ...(repository['owner'] as Payload), login },
    private: isPrivate,
    visibility: isPrivate ? 'private' : 'public',
  };
}

/** GitHub sends the creation time of a waiting job as its start. */
function startOf(created: string, taken: boolean): string {
  return taken ? secondsAfter(created, 5) : created;
}

function secondsAfter(time: string, seconds: number): string {
  return `${new Date(Date.parse(time) + seconds * 1_000).toISOString().slice(0, 19)}Z`;
}

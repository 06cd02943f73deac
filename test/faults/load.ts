import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../src/platform/lib/random.ts';
import { gitHubJob, gitHubRun, signGitHub } from '../payloads/gitHub.ts';

/** What a run and its jobs must cost. `acknowledged` becomes true when all its requests were. */
type SentRun = { jobs: Map<string, bigint>; batch: number; acknowledged: boolean };

export type Load = {
  /** Keyed by the program's id of the run. */
  runs: Map<string, SentRun>;
  acknowledgedRequests: number;
  sentAgain: number;
};

/** Where to send; changes with each restart. */
export type Target = { url: string; token: string; source: { id: string; secret: string } };

type Outgoing = { path: string; headers: Record<string, string>; body: string };

/** Prices of `linux_2_core` and of `ubuntu-latest` in a private repository. */
const nanosPerMinute = 8_000_000n;
const maxRunsPerBatch = 20;
const maxJobSeconds = 3_600;
const maxTries = 1_000;

/** Sends runs until it is aborted, each until it is acknowledged. Throws if one is rejected. */
export async function sendRuns(
  target: Target,
  load: Load,
  { sender, random, signal }: { sender: number; random: Random; signal: AbortSignal },
): Promise<void> {
  for (let batch = 0; !signal.aborted; batch++) {
    const number = sender * 1_000_000 + batch;
    const { runs, requests } =
      sender % 2 === 0 ? batchOf(target, number, random) : deliveriesOf(target, number, random);
    for (const [id, jobs] of runs) load.runs.set(id, { jobs, batch: number, acknowledged: false });
    for (const request of requests) await sendUntilAcknowledged(target, load, request);
    for (const id of runs.keys()) load.runs.get(id)!.acknowledged = true;
  }
}

async function sendUntilAcknowledged(target: Target, load: Load, request: Outgoing): Promise<void> {
  const { path, headers, body } = request;
  for (let tries = 1; tries <= maxTries; tries++) {
    const answer = await fetch(`${target.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      signal: AbortSignal.timeout(10_000),
    }).catch(() => null);
    const text = await answer?.text().catch(() => '');
    if (answer?.status === 200 || answer?.status === 202) {
      load.acknowledgedRequests++;
      return;
    }
    if (answer && answer.status < 500) throw new Error(`${path} answered ${answer.status}: ${text}`);
    load.sentAgain++;
    await sleep(50);
  }
  throw new Error(`${path} was not acknowledged in ${maxTries} tries`);
}

type Sent = { runs: Map<string, Map<string, bigint>>; requests: Outgoing[] };

/** Jobs of 1 to 3,600 seconds that ended in the last 20 days, in one request. */
function batchOf({ token }: Target, number: number, random: Random): Sent {
  const runs: Sent['runs'] = new Map();
  const reported = Array.from({ length: 1 + Math.floor(random() * maxRunsPerBatch) }, (_, index) => {
    const jobs = new Map<string, bigint>();
    const createdAt = pastTime(random);
    const reportedJobs = Array.from({ length: 1 + Math.floor(random() * 3) }, (__, at) => {
      const seconds = secondsOf(random);
      jobs.set(String(at), costOf(seconds));
      const times = { started_at: iso(createdAt), completed_at: iso(createdAt + seconds) };
      return { job_id: String(at), runner: 'linux_2_core', conclusion: 'success', ...times };
    });
    const runId = `${number}-${index}`;
    runs.set(`run_faults_${runId}`, jobs);
    const names = { workflow_name: `Workflow ${index % 5}`, repo_name: `acme/service-${index % 3}` };
    return {
      provider: 'faults',
      run_id: runId,
      status: 'completed',
      conclusion: 'success',
      ...names,
      created_at: iso(createdAt),
      jobs: reportedJobs,
    };
  });
  const headers = { authorization: `Bearer ${token}` };
  return { runs, requests: [{ path: '/api/v1/runs', headers, body: JSON.stringify({ runs: reported }) }] };
}

/** GitHub's two deliveries of a run with one job. */
function deliveriesOf({ source }: Target, number: number, random: Random): Sent {
  const id = 10_000_000_000 + number;
  const jobId = id * 10;
  const seconds = secondsOf(random);
  const createdAt = pastTime(random);
  const common = { repository: 'acme/api', created_at: iso(createdAt) };
  const times = { started_at: iso(createdAt), completed_at: iso(createdAt + seconds) };
  const payloads = [
    ['workflow_job', gitHubJob({ id: jobId, run_id: id, ...common, ...times })],
    ['workflow_run', gitHubRun({ id, ...common })],
  ] as const;
  return {
    runs: new Map([[`run_github_${id}`, new Map([[String(jobId), costOf(seconds)]])]]),
    requests: payloads.map(([event, payload]) => {
      const body = JSON.stringify(payload);
      const headers = { 'x-github-event': event, 'x-hub-signature-256': signGitHub(body, source.secret) };
      return { path: `/api/v1/ingest/${source.id}`, headers, body };
    }),
  };
}

function secondsOf(random: Random): number {
  return 1 + Math.floor(random() * maxJobSeconds);
}

function costOf(seconds: number): bigint {
  return BigInt(Math.ceil(seconds / 60)) * nanosPerMinute;
}

/** Seconds. */
function pastTime(random: Random): number {
  return Math.floor(Date.now() / 1_000) - 7_200 - Math.floor(random() * 20 * 86_400);
}

function iso(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}

import type { Request } from 'autocannon';
import { gitHubJob, gitHubRun, signGitHub } from '../test/payloads/gitHub.ts';

export const runsPerBatch = 1_000;
export const jobsPerRun = 4;

const workflows = 50;
const repositories = 20;
const millisecondsPerDay = 86_400_000;
const millisecondsPerMinute = 60_000;

/** A body of POST /api/v1/runs with the runs of one day, as an import of past runs sends them. */
export function batchRequest(token: string, batch: number): Request {
  const dayStart = Math.floor(Date.now() / millisecondsPerDay - 1 - (batch % 28)) * millisecondsPerDay;
  const runs = Array.from({ length: runsPerBatch }, (_, index) => {
    const createdAt = dayStart + index * millisecondsPerMinute;
    return {
      provider: 'bench',
      run_id: runIdInBatch(batch, index),
      ...workflowOf(index),
      status: 'completed',
      conclusion: index % 10 === 0 ? 'failure' : 'success',
      event: 'push',
      branch: 'main',
      actor: 'mona',
      created_at: isoOf(createdAt),
      started_at: isoOf(createdAt + 2_000),
      completed_at: isoOf(createdAt + 7 * millisecondsPerMinute),
      jobs: Array.from({ length: jobsPerRun }, (__, job) => ({
        job_id: `${batch}-${index}-${job}`,
        name: `test (${job})`,
        labels: ['ubuntu-latest'],
        status: 'completed',
        conclusion: 'success',
        started_at: isoOf(createdAt + 5_000),
        completed_at: isoOf(createdAt + (3 + job) * millisecondsPerMinute),
      })),
    };
  });
  return {
    method: 'POST',
    path: '/api/v1/runs',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ runs }),
  };
}

/** A SQL condition for the runs `r` of a batch. */
export function runsOfBatch(batch: number): string {
  return `r.id >= 'run_bench_${runIdInBatch(batch, 0)}' and r.id <= 'run_bench_${runIdInBatch(batch, runsPerBatch - 1)}'`;
}

/** The common prefix of the ids of its runs, without an index. */
export function runIdInBatch(batch: number, index?: number): string {
  return `${String(batch).padStart(6, '0')}-${index === undefined ? '' : String(index).padStart(4, '0')}`;
}

/** GitHub's deliveries for a completed run with one job: two records, one row each. */
export function deliveryRequests(source: { id: string; secret: string }, run: number): Request[] {
  const { workflow_name: name, repo_name: repository } = workflowOf(run);
  const id = 10_000_000_000 + run;
  const createdAt = isoOf(Date.now() - 10 * millisecondsPerMinute);
  const path = `.github/workflows/${name.replace(' ', '-')}.yml`;
  const job = { id: id * 10, run_id: id, workflow_name: name, repository, created_at: createdAt };
  return [
    delivery(source, 'workflow_job', gitHubJob(job)),
    delivery(source, 'workflow_run', gitHubRun({ id, name, path, repository, created_at: createdAt })),
  ];
}

function delivery(source: { id: string; secret: string }, event: string, payload: unknown): Request {
  const body = JSON.stringify(payload);
  return {
    method: 'POST',
    path: `/api/v1/ingest/${source.id}`,
    headers: {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-hub-signature-256': signGitHub(body, source.secret),
    },
    body,
  };
}

function workflowOf(index: number): { workflow_name: string; repo_name: string } {
  const workflow = index % workflows;
  return { workflow_name: `workflow ${workflow}`, repo_name: `acme/service-${workflow % repositories}` };
}

function isoOf(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

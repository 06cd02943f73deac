import assert from 'node:assert/strict';
import type { Answer, TestOrganization } from './app.ts';

type Fields = Record<string, unknown>;

let made = 0;

/** A run for `POST /runs`, by default created on 2026-03-18 at 10:00 with one job of five minutes. */
export function newRun(fields: Fields = {}): Fields {
  return {
    run_id: `run-${++made}`,
    workflow_name: 'Build',
    repo_name: 'acme/api',
    status: 'completed',
    conclusion: 'success',
    created_at: '2026-03-18T10:00:00Z',
    started_at: '2026-03-18T10:00:00Z',
    jobs: [newJob()],
    ...fields,
  };
}

/** A job of that run: five minutes on 2-core Linux, which cost $0.04. */
export function newJob(fields: Fields = {}): Fields {
  return {
    job_id: `job-${++made}`,
    ...('labels' in fields ? {} : { runner: 'linux_2_core' }),
    conclusion: 'success',
    started_at: '2026-03-18T10:00:00Z',
    completed_at: '2026-03-18T10:05:00Z',
    ...fields,
  };
}

export async function submit(organization: TestOrganization, ...runs: Fields[]): Promise<Answer> {
  const answer = await organization.send('POST', '/api/v1/runs', { runs });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.body.data.rejected, 0, answer.text);
  return answer;
}

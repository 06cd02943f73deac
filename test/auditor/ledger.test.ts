import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gitHubJob } from '../payloads/gitHub.ts';
import { openLedger } from './ledger.ts';

test('a job that no runner took is carried over by its times, too', () => {
  const ledger = openLedger();
  const times = { started_at: '2026-03-18T11:28:00Z', completed_at: '2026-03-18T11:28:00Z' };
  for (const run_attempt of [1, 2]) {
    const body = gitHubJob({ ...times, id: run_attempt, run_attempt, conclusion: 'skipped' });
    ledger.apply({ at: new Date('2026-03-18T12:00:00Z'), path: '/api/v1/ingest/src_1', body });
  }
  assert.deepEqual(
    ledger.read().jobs.map(({ job }) => job.attempt),
    [1],
  );
});

test('a job that proves to be no copy is priced when it does', () => {
  const ledger = openLedger();
  const at = new Date('2026-03-18T12:00:00Z');
  const report = (run_attempt: number, completed_at: string) => {
    at.setSeconds(at.getSeconds() + 1);
    const times = { status: 'completed', started_at: '2026-03-18T11:00:00Z', completed_at };
    const job = { job_id: '1', name: 'test', runner: 'windows_4_core', conclusion: 'success', ...times };
    const run = { run_id: '1', run_attempt, workflow_name: 'CI', repo_name: 'acme/api', status: 'completed' };
    const body = { runs: [{ ...run, created_at: '2026-03-18T11:00:00Z', jobs: [job] }] };
    ledger.apply({ at: new Date(at), path: '/api/v1/runs', body });
  };
  report(2, '2026-03-18T11:01:00Z');
  report(1, '2026-03-18T11:01:00Z');
  ledger.apply({ at, method: 'PUT', path: '/api/v1/pricing', body: { book_id: 'github_2026' } });
  report(1, '2026-03-18T11:02:00Z');
  assert.deepEqual(
    ledger.read().jobs.map(({ job, price }) => [job.attempt, price.nanosPerMinute]),
    [
      [2, 22_000_000n],
      [1, 22_000_000n],
    ],
  );
});

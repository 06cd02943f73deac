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

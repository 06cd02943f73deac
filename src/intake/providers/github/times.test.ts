import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  at,
  jobReportWith,
  jobWith,
  receivedAt,
  rejectedPaths,
  runWith,
  stateWith,
  zeroTime,
} from '../../../../test/payloads/gitHubReadings.ts';

describe('status', () => {
  for (const word of ['requested', 'waiting', 'pending', 'queued']) {
    test(`${word} is queued`, () => {
      assert.equal(stateWith({ status: word, conclusion: null }).status, 'queued');
      assert.equal(jobWith({ status: word, conclusion: null }).status, 'queued');
    });
  }

  test('in_progress and completed stay as they are', () => {
    assert.equal(stateWith({ status: 'in_progress', conclusion: null }).status, 'in_progress');
    assert.equal(jobWith({ status: 'completed' }).status, 'completed');
  });

  test('the body wins over the action', () => {
    assert.equal(runWith({}, { action: 'requested' }).state?.status, 'completed');
    assert.equal(runWith({}, { action: 'archived' }).state?.status, 'completed');
    assert.equal(runWith({}, { action: null }).state?.status, 'completed');
  });

  test('an unknown or missing status with a conclusion is completed', () => {
    for (const status of ['finalised', null]) {
      const report = runWith({ status, conclusion: 'success' }, { action: 'in_progress' });
      assert.equal(report.state?.status, 'completed');
    }
  });

  test('an unknown status without a conclusion follows the action, else it is queued', () => {
    const changes = { status: 'constructor', conclusion: null };
    assert.equal(runWith(changes, { action: 'in_progress' }).state?.status, 'in_progress');
    assert.equal(runWith(changes, { action: 'archived' }).state?.status, 'queued');
  });

  test("keeps the provider's conclusion, only for completed runs", () => {
    for (const conclusion of ['timed_out', 'startup_failure', 'stale', 'never seen before']) {
      assert.equal(stateWith({ conclusion }).rawConclusion, conclusion);
      assert.equal(jobWith({ conclusion }).rawConclusion, conclusion);
    }
    assert.equal(stateWith({ conclusion: null }).rawConclusion, null);
    assert.equal(stateWith({ status: 'in_progress', conclusion: 'success' }).rawConclusion, null);
    assert.equal(jobWith({ status: 'in_progress', conclusion: 'success' }).rawConclusion, null);
  });
});

describe('times of a run', () => {
  test('are its creation and the start of the attempt; it has no end, and updated_at is when it was observed', () => {
    const report = runWith({
      created_at: '2026-11-20T10:00:00Z',
      run_started_at: '2026-11-21T09:00:00+01:00',
      updated_at: '2026-11-21T08:30:00.250Z',
    });
    assert.deepEqual(report.state?.createdAt, at('2026-11-20T10:00:00Z'));
    assert.deepEqual(report.state?.startedAt, at('2026-11-21T08:00:00Z'));
    assert.deepEqual(report.observedAt, at('2026-11-21T08:30:00.250Z'));
    assert.equal(report.state?.completedAt, null);
  });

  test('a zero or very old creation falls back to the start, the update, the arrival', () => {
    const created_at = zeroTime;
    const run_started_at = '2026-11-20T10:00:00Z';
    const updated_at = '2026-11-20T10:05:00Z';
    assert.deepEqual(stateWith({ created_at, run_started_at }).createdAt, at(run_started_at));
    assert.deepEqual(stateWith({ created_at, run_started_at: null, updated_at }).createdAt, at(updated_at));
    const nothing = runWith({
      created_at: '1999-12-31T23:59:59Z',
      run_started_at: zeroTime,
      updated_at: zeroTime,
    });
    assert.deepEqual(nothing.state?.createdAt, receivedAt);
    assert.deepEqual(nothing.observedAt, receivedAt);
    assert.equal(nothing.state?.startedAt, null);
  });

  test('without an update, it was observed at its creation', () => {
    const created_at = '2026-11-20T10:00:00Z';
    assert.deepEqual(runWith({ created_at, updated_at: null }).observedAt, at(created_at));
  });

  test('2000-01-01 is the first valid instant', () => {
    assert.deepEqual(
      stateWith({ run_started_at: '2000-01-01T00:00:00Z' }).startedAt,
      at('2000-01-01T00:00:00Z'),
    );
    assert.equal(stateWith({ run_started_at: '1999-12-31T23:59:59.999Z' }).startedAt, null);
  });

  test('accepts up to 24 hours after arrival, and rejects later times by name', () => {
    const last = new Date(receivedAt.getTime() + 86_400_000);
    assert.deepEqual(stateWith({ run_started_at: last.toISOString() }).startedAt, last);
    const later = new Date(last.getTime() + 1).toISOString();
    for (const field of ['created_at', 'run_started_at', 'updated_at']) {
      assert.deepEqual(
        rejectedPaths(() => runWith({ [field]: later })),
        [`workflow_run.${field}`],
      );
    }
  });

  test('rejects invalid instants by name', () => {
    for (const text of [
      '',
      'yesterday',
      '2026-11-20',
      '2026-11-20T10:00:00',
      '2026-02-30T10:00:00Z',
      '1700000000',
    ]) {
      assert.deepEqual(
        rejectedPaths(() => runWith({ updated_at: text })),
        ['workflow_run.updated_at'],
        text,
      );
    }
  });
});

describe('times of a job', () => {
  const times = {
    created_at: '2026-11-20T10:00:00Z',
    started_at: '2026-11-20T10:00:05Z',
    completed_at: '2026-11-20T10:01:05Z',
  };

  test('completed: observed at its completion', () => {
    const report = jobReportWith(times);
    assert.deepEqual(report.observedAt, at(times.completed_at));
    assert.deepEqual(report.jobs[0]?.observedAt, at(times.completed_at));
    assert.equal(report.state, null);
  });

  test('in progress: observed at its start', () => {
    const job = jobWith({ ...times, status: 'in_progress', conclusion: null });
    assert.deepEqual([job.startedAt, job.completedAt], [at(times.started_at), null]);
    assert.deepEqual(job.observedAt, at(times.started_at));
  });

  test("queued: observed at its creation, without GitHub's filled-in start", () => {
    const job = jobWith({ ...times, status: 'queued', conclusion: null });
    assert.deepEqual([job.startedAt, job.completedAt], [null, null]);
    assert.deepEqual(job.observedAt, at(times.created_at));
  });

  test('missing ones fall back to the next', () => {
    const completed_at = null;
    assert.deepEqual(jobWith({ ...times, completed_at }).observedAt, at(times.started_at));
    assert.deepEqual(
      jobWith({ ...times, completed_at, started_at: zeroTime }).observedAt,
      at(times.created_at),
    );
    const queued = { ...times, created_at: undefined, status: 'queued', conclusion: null };
    assert.deepEqual(jobWith(queued).observedAt, at(times.started_at));
    const nothing = jobWith({ completed_at, started_at: null, created_at: null });
    assert.deepEqual([nothing.observedAt, nothing.createdAt], [receivedAt, null]);
  });

  test('keeps a start before the creation and an end before the start', () => {
    const job = jobWith({
      ...times,
      started_at: '2026-11-20T09:59:59Z',
      completed_at: '2026-11-01T00:00:00Z',
    });
    assert.deepEqual(job.createdAt, at(times.created_at));
    assert.deepEqual(job.startedAt, at('2026-11-20T09:59:59Z'));
    assert.deepEqual(job.completedAt, at('2026-11-01T00:00:00Z'));
    assert.deepEqual(job.observedAt, at('2026-11-01T00:00:00Z'));
  });

  test('names all wrong ones together', () => {
    const wrong = { created_at: 'x', started_at: '2027-11-20T09:59:59Z', completed_at: 'y' };
    assert.deepEqual(
      rejectedPaths(() => jobWith(wrong)),
      ['workflow_job.created_at', 'workflow_job.started_at', 'workflow_job.completed_at'],
    );
  });
});

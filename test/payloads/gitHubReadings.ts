import assert from 'node:assert/strict';
import { readGitHubEvent } from '../../src/intake/providers/github/readEvent.ts';
import type { JobReport, RunReport, RunState } from '../../src/ledger/runs/report.ts';
import { PublicError } from '../../src/platform/lib/errors.ts';
import { gitHubJob, gitHubRun } from './gitHub.ts';
import type { Payload } from './gitHub.ts';

export const receivedAt = new Date('2026-11-21T12:00:00Z');

export function reportOf(eventName: string, payload: unknown): RunReport {
  const event = readGitHubEvent(eventName, payload, receivedAt);
  assert.equal(event.kind, 'report');
  return (event as { report: RunReport }).report;
}

/** `changes` apply to the factory's `workflow_run`, `around` to the other fields of the payload. */
export function runWith(changes: Payload, around: Payload = {}): RunReport {
  const payload = gitHubRun();
  return reportOf('workflow_run', {
    ...payload,
    ...around,
    workflow_run: { ...(payload['workflow_run'] as Payload), ...changes },
  });
}

export function stateWith(changes: Payload): RunState {
  return runWith(changes).state!;
}

export function jobReportWith(changes: Payload, around: Payload = {}): RunReport {
  const payload = gitHubJob();
  return reportOf('workflow_job', {
    ...payload,
    ...around,
    workflow_job: { ...(payload['workflow_job'] as Payload), ...changes },
  });
}

export function jobWith(changes: Payload): JobReport {
  return jobReportWith(changes).jobs[0]!;
}

export function rejectedPaths(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    assert.ok(error instanceof PublicError, String(error));
    assert.equal(error.kind, 'invalid');
    assert.equal(error.code, 'invalid_payload');
    for (const { message } of error.errors) assert.notEqual(message, '');
    return error.errors.map(({ path }) => path);
  }
  assert.fail('the payload was not rejected');
}

export const at = (time: string) => new Date(time);
/** Go's zero time. */
export const zeroTime = '0001-01-01T00:00:00Z';

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { gitHubExamples, gitHubJob, gitHubRun } from '../../../../test/payloads/gitHub.ts';
import type { Payload } from '../../../../test/payloads/gitHub.ts';
import { jobWith, receivedAt, rejectedPaths, runWith } from '../../../../test/payloads/gitHubReadings.ts';
import type { RunReport } from '../../../ledger/runs/report.ts';
import { PublicError } from '../../../platform/lib/errors.ts';
import { readGitHubEvent } from './readEvent.ts';

describe('rejected payloads', () => {
  test('JSON that is not an object', () => {
    for (const payload of [null, [], 5, 'x', true]) {
      for (const eventName of ['workflow_run', 'workflow_job']) {
        assert.deepEqual(
          rejectedPaths(() => readGitHubEvent(eventName, payload, receivedAt)),
          ['body'],
        );
      }
      assert.equal(readGitHubEvent('ping', payload, receivedAt).kind, 'ping');
      assert.equal(readGitHubEvent('star', payload, receivedAt).kind, 'ignored');
      assert.equal(readGitHubEvent('toString', payload, receivedAt).kind, 'ignored');
    }
  });

  test('names missing records and fields', () => {
    const { repository, workflow_run: run, workflow_job: job } = { ...gitHubJob(), ...gitHubRun() };
    const read = (eventName: string, payload: unknown) => () =>
      readGitHubEvent(eventName, payload, receivedAt);
    assert.deepEqual(rejectedPaths(read('workflow_run', {})), ['repository', 'workflow_run']);
    assert.deepEqual(rejectedPaths(read('workflow_job', { repository })), ['workflow_job']);
    assert.deepEqual(rejectedPaths(read('workflow_run', { repository: {}, workflow_run: run })), [
      'repository.full_name',
    ]);
    assert.deepEqual(rejectedPaths(read('workflow_run', { repository, workflow_run: {} })), [
      'workflow_run.id',
      'workflow_run.created_at',
    ]);
    assert.deepEqual(rejectedPaths(read('workflow_job', { repository, workflow_job: {} })), [
      'workflow_job.id',
      'workflow_job.run_id',
    ]);
    assert.equal(read('workflow_job', { repository, workflow_job: job })().kind, 'report');
  });

  test('a repository that is not owner/name', () => {
    for (const full_name of [
      '',
      'octo-repo',
      '/octo-repo',
      'a/b/c',
      'a b/c',
      `a/${'x'.repeat(1_024)}`,
      null,
    ]) {
      assert.deepEqual(
        rejectedPaths(() => runWith({}, { repository: { full_name } })),
        ['repository.full_name'],
      );
    }
  });

  test('strings too long', () => {
    const runFields = ['name', 'path', 'event', 'head_branch', 'status', 'conclusion'];
    const jobFields = [
      'name',
      'workflow_name',
      'head_branch',
      'conclusion',
      'runner_name',
      'runner_group_name',
    ];
    for (const text of ['x'.repeat(1_025), `e${'\u0301'.repeat(1_024)}`]) {
      for (const field of runFields) {
        assert.deepEqual(
          rejectedPaths(() => runWith({ [field]: text })),
          [`workflow_run.${field}`],
        );
      }
      for (const field of jobFields) {
        assert.deepEqual(
          rejectedPaths(() => jobWith({ [field]: text })),
          [`workflow_job.${field}`],
        );
      }
      assert.deepEqual(
        rejectedPaths(() => runWith({ actor: { login: text } })),
        ['workflow_run.actor.login'],
      );
    }
    for (const name of ['x'.repeat(1_024), '\u{1F600}'.repeat(1_024)])
      assert.equal(jobWith({ name }).name, name);
  });

  test('more than 100 labels, and labels of more than 255 characters', () => {
    const labels = Array.from({ length: 100 }, () => 'x'.repeat(255));
    assert.deepEqual(jobWith({ labels }).labels, labels);
    assert.deepEqual(
      rejectedPaths(() => jobWith({ labels: [...labels, 'x'] })),
      ['workflow_job.labels'],
    );
    assert.deepEqual(
      rejectedPaths(() => jobWith({ labels: ['linux', 'x'.repeat(256)] })),
      ['workflow_job.labels.1'],
    );
  });

  test('attempts that are not positive 32-bit integers', () => {
    for (const run_attempt of [0, -1, 1.5, 2 ** 31, '1']) {
      assert.deepEqual(
        rejectedPaths(() => runWith({ run_attempt })),
        ['workflow_run.run_attempt'],
      );
    }
  });
});

const seeds = gitHubExamples()
  .filter(({ name }) => name === 'workflow_run' || name === 'workflow_job')
  .flatMap(({ name, examples }) => examples.map((payload) => ({ name, payload })))
  .concat({ name: 'workflow_run', payload: gitHubRun() }, { name: 'workflow_job', payload: gitHubJob() });

const usedFields: Record<string, string[]> = {
  '': ['action', 'repository', 'sender', 'workflow', 'workflow_run', 'workflow_job'],
  repository: ['full_name', 'id', 'private', 'visibility'],
  sender: ['login'],
  workflow: ['name', 'path'],
  workflow_run: (
    'id run_attempt run_number name path event head_branch head_sha status conclusion created_at run_started_at updated_at ' +
    'actor triggering_actor pull_requests'
  ).split(' '),
  workflow_job: (
    'id run_id run_attempt name workflow_name head_branch head_sha status conclusion created_at started_at completed_at ' +
    'labels runner_name runner_group_name steps'
  ).split(' '),
};

const places = fc.constantFrom(
  ...Object.entries(usedFields).flatMap(([record, fields]) => fields.map((field) => ({ record, field }))),
);
const removed = Symbol('removed');
const values = fc.oneof(
  fc.constantFrom<unknown>(
    removed,
    null,
    '',
    0,
    -1,
    13,
    1e300,
    true,
    {},
    [],
    [[]],
    [null],
    'in_progress',
    'completed',
  ),
  fc.constantFrom(
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '+275760-09-13T00:00:00.001Z',
    '2026-11-20',
  ),
  fc.constantFrom(
    'x'.repeat(2_000),
    ['x'.repeat(256)],
    Array.from({ length: 101 }, () => 'x'),
    { login: 5 },
    [{ number: 7, head: { ref: 'main' } }],
    [{ number: 2 ** 31, head: { ref: 'main' } }],
  ),
  fc.string({ unit: 'binary' }),
  fc.array(fc.string()),
  fc.jsonValue(),
);
const mutations = fc.array(fc.record({ place: places, value: values }), { minLength: 1, maxLength: 4 });

/** `payload` with `value` at the place, if its record is still there. */
function mutate(payload: Payload, place: { record: string; field: string }, value: unknown): void {
  const target = place.record === '' ? payload : payload[place.record];
  if (typeof target !== 'object' || target === null) return;
  if (value === removed) delete (target as Payload)[place.field];
  else (target as Payload)[place.field] = value;
}

function assertStorable({ state, jobs, ...run }: RunReport): void {
  const facts = [run, state ?? {}, ...jobs].flatMap((record) => Object.values(record).flat());
  for (const fact of facts) {
    if (fact instanceof Date) {
      assert.ok(fact.getTime() >= Date.UTC(2000, 0, 1));
      assert.ok(fact.getTime() <= receivedAt.getTime() + 86_400_000);
    }
    if (typeof fact === 'string') assert.ok(fact.length <= 1_024);
    assert.notEqual(fact, undefined);
  }
  for (const { status, rawConclusion, completedAt } of [...(state ? [state] : []), ...jobs]) {
    assert.ok(['queued', 'in_progress', 'completed'].includes(status));
    if (status !== 'completed') assert.deepEqual([rawConclusion, completedAt], [null, null]);
  }
  assert.match(run.runId, /^[1-9]\d{0,15}$/);
  assert.ok(Number.isInteger(run.attempt) && run.attempt >= 1);
  for (const number of [run.pullRequest, run.runNumber])
    assert.ok(number === null || (Number.isInteger(number) && number >= 1 && number < 2 ** 31));
  assert.match(run.commit ?? '0', /^\S{1,100}$/);
}

test('a damaged payload gives a valid report or named errors, and no other exception', () => {
  const seen = { reports: 0, rejections: 0 };
  fc.assert(
    fc.property(fc.constantFrom(...seeds), mutations, ({ name, payload }, changes) => {
      const damaged = structuredClone(payload);
      for (const { place, value } of changes) mutate(damaged, place, value);
      try {
        const event = readGitHubEvent(name, damaged, receivedAt);
        assert.equal(event.kind, 'report');
        if (event.kind === 'report') assertStorable(event.report);
        seen.reports++;
      } catch (error) {
        if (!(error instanceof PublicError)) throw error;
        assert.equal(error.code, 'invalid_payload');
        assert.ok(error.errors.length > 0);
        seen.rejections++;
      }
    }),
    { numRuns: 2_000 },
  );
  assert.ok(seen.reports > 100 && seen.rejections > 100, JSON.stringify(seen));
});

test('reads or rejects any JSON', () => {
  fc.assert(
    fc.property(fc.constantFrom('workflow_run', 'workflow_job'), fc.jsonValue(), (name, payload) => {
      assert.notDeepEqual(
        rejectedPaths(() => readGitHubEvent(name, payload, receivedAt)),
        [],
      );
    }),
  );
});

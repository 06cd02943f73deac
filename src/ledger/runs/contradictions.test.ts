import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { defaultPriceList } from '../../../test/harness/priceLists.ts';
import type { RunHistory } from './history.ts';
import { mergeReports } from './merge.ts';
import type { JobReport, RunReport, RunState, Status } from './report.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 2, 18, 10, minute));

function reportWith(changes: Partial<RunReport>): RunReport {
  return {
    provider: 'github',
    runId: '1',
    attempt: 1,
    repository: 'acme/app',
    isPrivate: null,
    workflowName: null,
    workflowPath: null,
    event: null,
    branch: null,
    actor: null,
    pullRequest: null,
    runNumber: null,
    commit: null,
    observedAt: at(0),
    state: null,
    jobs: [],
    ...changes,
  };
}

function jobWith(changes: Partial<JobReport>): JobReport {
  return {
    jobId: '1',
    attempt: 1,
    name: null,
    labels: [],
    runnerName: null,
    runnerGroup: null,
    status: 'completed',
    rawConclusion: null,
    createdAt: null,
    startedAt: null,
    completedAt: null,
    ran: null,
    observedAt: at(5),
    ...changes,
  };
}

const statuses = fc.constantFrom<Status>('queued', 'in_progress', 'completed', 'completed');
const words = fc.constantFrom('success', 'failure', 'skipped', null);
const instants = fc.constantFrom(at(1), at(2), at(3), null);
const texts = fc.constantFrom('', 'a', 'b', 'null', null);
const looks = fc.constantFrom(at(4), at(5), at(6));
const traced = fc.constantFrom({}, {}, { isTrace: true });

const jobs: fc.Arbitrary<JobReport> = fc
  .record({
    actor: texts,
    status: statuses,
    rawConclusion: words,
    name: texts,
    labels: fc.constantFrom<string[]>([], ['ubuntu-latest'], ['macos-latest'], ['a', 'b']),
    runnerName: texts,
    runnerGroup: texts,
    createdAt: instants,
    startedAt: instants,
    completedAt: instants,
    ran: fc.constantFrom(true, false, null),
    observedAt: looks,
  })
  .map(jobWith);
const states: fc.Arbitrary<RunState> = fc.record({
  status: statuses,
  rawConclusion: words,
  createdAt: fc.constantFrom(at(0), at(1)),
  startedAt: instants,
  completedAt: instants,
});
const pullRequests = fc.constantFrom(1, 2, null);
const reports = fc
  .record({
    attempt: fc.constantFrom(1, 1, 2, 3),
    repository: fc.constantFrom('acme/app', 'acme/web'),
    isPrivate: fc.constantFrom(true, false, null),
    workflowName: texts,
    workflowPath: texts,
    event: texts,
    branch: texts,
    actor: texts,
    startedBy: texts,
    pullRequest: pullRequests,
    runNumber: fc.constantFrom(8, 9, null),
    commit: fc.constantFrom('8f3b2c1', '0a4b7c6', null),
    observedAt: looks,
    state: fc.option(states),
    jobs: fc.array(jobs, { maxLength: 1 }),
    traced,
  })
  .map(({ traced: by, ...report }) =>
    reportWith({ ...report, ...by, jobs: report.jobs.map((job) => ({ ...job, attempt: report.attempt })) }),
  );

/** Some reports are repeated with another pull request and no other change. */
const contradictions = fc
  .array(fc.tuple(reports, fc.array(pullRequests, { maxLength: 1 })), { minLength: 1, maxLength: 6 })
  .map((pairs) =>
    pairs.flatMap(([report, others]) => [
      report,
      ...others.map((pullRequest) => ({ ...report, pullRequest })),
    ]),
  );

/** The history as the database returns it, which stores JSON. */
function stored(history: RunHistory): RunHistory {
  const copy = structuredClone(history);
  for (const row of [copy.run, ...copy.jobs]) {
    if ('reports' in row && row.reports) row.reports = JSON.parse(JSON.stringify(row.reports));
  }
  return { ...copy, jobs: copy.jobs.toSorted((a, b) => a.attempt - b.attempt) };
}

function oneByOne(all: readonly RunReport[]): RunHistory {
  return all.reduce<RunHistory | null>(
    (history, report) => stored(mergeReports(history, [report], defaultPriceList)),
    null,
  )!;
}

test('contradicting and incomplete reports give one result in every order and repetition', () => {
  fc.assert(
    fc.property(
      contradictions.chain((all) =>
        fc.record({
          all: fc.constant(all),
          shuffled: fc.shuffledSubarray(all, { minLength: all.length }),
          repeated: fc.array(fc.constantFrom(...all), { maxLength: 6 }),
          cut: fc.nat({ max: all.length }),
        }),
      ),
      ({ all, shuffled, repeated, cut }) => {
        const expected = oneByOne(all);
        assert.deepEqual(oneByOne([...shuffled, ...repeated]), expected, 'one by one');
        assert.deepEqual(oneByOne([...repeated, ...shuffled]), expected, 'the repeated ones first');
        assert.deepEqual(
          stored(mergeReports(null, [...repeated, ...shuffled], defaultPriceList)),
          expected,
          'at once',
        );
        const first = shuffled.slice(0, cut);
        const rest = [...shuffled.slice(cut), ...repeated];
        const before = first.length === 0 ? null : oneByOne(first);
        if (rest.length === 0) return;
        assert.deepEqual(stored(mergeReports(before, rest, defaultPriceList)), expected, 'in two parts');
      },
    ),
    { numRuns: 500 },
  );
});

test('stored reports from before pull requests, numbers, commits and starters are without them, in any order', () => {
  const state = {
    status: 'completed',
    rawConclusion: null,
    createdAt: at(0),
    startedAt: null,
    completedAt: null,
  } as const;
  const before = oneByOne([
    reportWith({ state, observedAt: at(6) }),
    reportWith({ workflowName: 'Build', observedAt: at(4) }),
  ]);
  assert.equal(before.run.reports?.length, 2);
  const old = structuredClone(before);
  for (const report of old.run.reports!) {
    delete report.startedBy;
    delete report.pullRequest;
    delete report.runNumber;
    delete report.commit;
  }
  const later = [
    reportWith({ state, observedAt: at(6), pullRequest: 7, runNumber: 8, commit: 'r1' }),
    reportWith({ branch: 'feature', observedAt: at(5) }),
  ];
  for (const reported of [later, later.toReversed(), later.slice(0, 1), later.slice(1)]) {
    const { run } = mergeReports(old, reported, defaultPriceList);
    assert.deepEqual(run, mergeReports(before, reported, defaultPriceList).run);
    const expected = reported.includes(later[0]!) ? [7, 8, 'r1'] : [null, null, null];
    assert.deepEqual([run.pullRequest, run.runNumber, run.commit], expected);
  }
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { defaultPriceList } from '../../test/harness/priceLists.ts';
import { mergeReports } from '../ledger/runs/merge.ts';
import type { JobReport, RunReport } from '../ledger/runs/report.ts';
import { addDays, dayOf, startOfDay, type Day } from '../platform/lib/days.ts';
import { demoHistory, type DemoOptions } from './history.ts';

const saturday = new Date('2026-11-21T13:20:11.500Z');
const usual: DemoOptions = { days: 90, runs: 6_000, seed: 1, now: saturday };
const history = [...demoHistory(usual)];

const timeOfDay = fc
  .integer({ min: 0, max: 86_399_999 })
  .map((milliseconds) => new Date(Date.parse('2026-11-21T00:00:00Z') + milliseconds));
const anyOptions = fc.record({
  days: fc.integer({ min: 1, max: 120 }),
  runs: fc.integer({ min: 1, max: 400 }),
  seed: fc.nat(),
  now: timeOfDay,
});

describe('the options', () => {
  test('equal options make equal histories', () => {
    assert.deepEqual([...demoHistory(usual)], history);
  });

  test('different seeds, days and sizes make histories without a common run', () => {
    const small = { ...usual, runs: 600 };
    const made = [...demoHistory(small)];
    const ids = new Set(made.map(({ runId }) => runId));
    const beginningOf = (reports: RunReport[]) => reports.slice(0, 50).map(({ branch }) => branch);
    const others = [
      { ...small, seed: 2 },
      { ...small, now: new Date('2026-11-22T13:20:11Z') },
      { ...small, days: 89 },
      { ...small, runs: 599 },
    ];
    for (const other of others) {
      const reports = [...demoHistory(other)];
      assert.ok(reports.every(({ runId }) => !ids.has(runId)));
      assert.notDeepEqual(beginningOf(reports), beginningOf(made));
    }
  });

  test('the time of day changes neither runs nor jobs nor costs', () => {
    const property = fc.property(anyOptions, timeOfDay, (options, later) => {
      const contents = (now: Date) => [...demoHistory({ ...options, now })].map(contentOf).toSorted();
      assert.deepEqual(contents(later), contents(options.now));
    });
    fc.assert(property, { numRuns: 15 });
  });
});

describe('form', () => {
  test('has the requested number of runs with unique ids, oldest first, and effects follow causes, none in the future or long before', () => {
    const property = fc.property(anyOptions, (options) => {
      const reports = [...demoHistory(options)];
      assert.equal(reports.length, options.runs);
      assert.equal(new Set(reports.map(({ runId }) => runId)).size, options.runs);
      const created = reports.map(({ state }) => state!.createdAt.getTime());
      assert.deepEqual(
        created,
        created.toSorted((a, b) => a - b),
      );
      const firstDay = startOfDay(addDays(dayOf(options.now), 1 - options.days));
      for (const report of reports) {
        assert.ok(report.state!.createdAt.getTime() >= firstDay.getTime() - 6 * 3_600_000);
        for (const instant of instantsOf(report)) assert.ok(instant <= options.now);
        for (const job of report.jobs) assertOrder(report, job);
      }
    });
    fc.assert(property, { numRuns: 40 });
  });

  test('ids are digits and exact as JavaScript numbers', () => {
    const ids = history.flatMap(({ runId, jobs }) => [runId, ...jobs.map(({ jobId }) => jobId)]);
    for (const id of ids) {
      assert.match(id, /^\d{14,16}$/);
      assert.ok(Number.isSafeInteger(Number(id)));
    }
    assert.equal(new Set(ids).size, ids.length);
  });

  test('ids grow with time, except for runs that were moved up to now', () => {
    const ids = history.slice(0, -200).map(({ runId }) => Number(runId));
    assert.ok(ids.every((id, place) => place === 0 || id > ids[place - 1]!));
  });

  test('statuses, times and conclusions agree', () => {
    for (const { state, jobs } of history) {
      assert.equal(state!.rawConclusion !== null, state!.status === 'completed');
      for (const job of jobs) {
        assert.equal(job.completedAt !== null, job.status === 'completed');
        assert.equal(job.rawConclusion !== null, job.status === 'completed');
        assert.equal(job.startedAt !== null, job.status !== 'queued');
        assert.equal(job.runnerName !== null, job.ran === true);
      }
    }
  });
});

describe('realism', () => {
  test('weekends are quiet', () => {
    const isWeekend = ({ state }: RunReport) => [0, 6].includes(state!.createdAt.getUTCDay());
    const weekendRuns = history.filter(isWeekend).length / 2;
    const share = weekendRuns / ((history.length - 2 * weekendRuns) / 5);
    assert.ok(share > 0.12 && share < 0.28, `${share}`);
  });

  test('most runs start in working hours', () => {
    const atWork = history.filter(({ state }) => {
      const hour = state!.createdAt.getUTCHours();
      return hour >= 8 && hour < 18;
    });
    assert.ok(atWork.length > 0.65 * history.length);
  });

  test('scheduled workflows run every night', () => {
    const nights = new Set(
      history.filter(({ event }) => event === 'schedule').map(({ state }) => dayOf(state!.createdAt)),
    );
    assert.ok(nights.size >= 85);
  });

  test('runs fail, are cancelled, are skipped, and a few are in progress', () => {
    const share = (wanted: string) =>
      history.filter(({ state }) => state!.rawConclusion === wanted).length / history.length;
    assert.ok(share('failure') > 0.09 && share('failure') < 0.15);
    assert.ok(share('cancelled') > 0.02);
    assert.ok(share('skipped') > 0.01);
    const statuses = history.slice(-30).map(({ state }) => state!.status);
    assert.ok(statuses.includes('queued'));
    assert.ok(statuses.includes('in_progress'));
    assert.ok(history.slice(0, -60).every(({ state }) => state!.status === 'completed'));
  });

  test('re-runs repeat successful jobs, which are not paid twice', () => {
    const reruns = history.filter(({ attempt }) => attempt === 2);
    assert.ok(reruns.length > 0.02 * history.length);
    const merged = reruns.map((report) => mergeReports(null, [report], defaultPriceList));
    assert.ok(merged.some(({ jobs }) => jobs.some((job) => job.isCarriedOver)));
    for (const { jobs } of merged) {
      const succeeded = jobs.filter((job) => job.attempt === 1 && job.rawConclusion === 'success');
      assert.equal(jobs.filter((job) => job.isCarriedOver).length, succeeded.length);
    }
  });

  test('runs of pull requests have its number, and several share one', () => {
    for (const { event, pullRequest } of history)
      assert.equal(pullRequest !== null, event === 'pull_request', event ?? '');
    const ofPullRequests = Map.groupBy(
      history.filter(({ pullRequest }) => pullRequest !== null),
      ({ repository, pullRequest }) => `${repository}#${pullRequest}`,
    );
    for (const runs of ofPullRequests.values())
      assert.equal(new Set(runs.map(({ branch }) => branch)).size, 1);
    const shared = [...ofPullRequests.values()].filter((runs) => runs.length > 1);
    assert.ok(shared.length > 500, `${shared.length}`);
  });

  test('workflows that start together build the same commit', () => {
    const ofCommits = Map.groupBy(history, ({ commit }) => commit);
    const shared = [...ofCommits.values()].filter((runs) => runs.length > 1);
    assert.ok(shared.length > 300, `${shared.length}`);
    for (const runs of shared)
      assert.equal(new Set(runs.map(({ repository, branch }) => `${repository} ${branch}`)).size, 1);
  });

  test('uses all kinds of runners, including an unpriced one', () => {
    const kinds = new Set(
      history.flatMap((report) =>
        mergeReports(null, [report], defaultPriceList).jobs.map((job) => job.runnerKind),
      ),
    );
    const expected = ['linux_2_core', 'linux_4_core', 'linux_16_core', 'windows_2_core', 'self_hosted', null];
    for (const kind of [...expected, 'macos_3_core', 'macos_12_core']) assert.ok(kinds.has(kind), `${kind}`);
  });

  test('soon after midnight, the runs of today are spread over the hours before', () => {
    const now = new Date('2026-11-20T00:01:00Z');
    const hours = [...demoHistory({ ...usual, now })].map(({ state }) =>
      Math.floor((now.getTime() - state!.createdAt.getTime()) / 3_600_000),
    );
    const counts = [0, 1, 2, 3].map((hour) => hours.filter((each) => each === hour).length);
    assert.ok(Math.min(...counts) >= 5, counts.join());
  });

  test('one workflow runs away for three days about two weeks ago, on any day', () => {
    for (let offset = 0; offset < 7; offset++) {
      const now = new Date(Date.parse('2026-11-16T12:00:00Z') + offset * 86_400_000);
      const days = runawayDaysOf(demoHistory({ ...usual, days: 30, runs: 2_000, now }));
      assert.equal(days.length, 3);
      assert.equal(days[2], addDays(days[0]!, 2));
      const daysAgo = (startOfDay(dayOf(now)).getTime() - startOfDay(days[1]!).getTime()) / 86_400_000;
      assert.ok(daysAgo >= 11 && daysAgo <= 17, `${daysAgo}`);
    }
  });

  test('costs are those of a medium-size company, and the runaway days are by far the most expensive', () => {
    const reports = [...demoHistory({ ...usual, runs: 20_000 })];
    const costs = costByDay(reports);
    const mostExpensive = [...costs].toSorted(([, a], [, b]) => b - a).map(([day]) => day);
    assert.deepEqual(mostExpensive.slice(0, 3).toSorted(), runawayDaysOf(reports));
    assert.ok(costs.get(mostExpensive[2]!)! > 1.5 * costs.get(mostExpensive[3]!)!);
    const dollars = [...costs.values()].reduce((sum, cost) => sum + cost, 0) / 3;
    assert.ok(dollars > 2_000 && dollars < 6_000, `${dollars} dollars a month`);
  });

  test('a history of one run is one run', () => {
    assert.equal([...demoHistory({ ...usual, days: 365, runs: 1 })].length, 1);
  });
});

function contentOf(report: RunReport): string {
  const { run, jobs } = mergeReports(null, [report], defaultPriceList);
  const work = jobs.map(({ jobId, name, status, rawConclusion, costNanos }) =>
    [jobId, name, status, rawConclusion, costNanos].join(' '),
  );
  return [
    run.id,
    run.repository,
    run.workflowName,
    run.status,
    run.branch,
    run.durationSeconds,
    ...work,
  ].join('/');
}

function instantsOf({ state, observedAt, jobs }: RunReport): Date[] {
  const ofJobs = jobs.flatMap((job) => [job.createdAt, job.startedAt, job.completedAt, job.observedAt]);
  return [state!.createdAt, state!.startedAt, observedAt, ...ofJobs].filter((instant) => instant !== null);
}

function assertOrder({ state }: RunReport, job: JobReport): void {
  const { createdAt, startedAt, completedAt } = job;
  assert.ok(createdAt! >= state!.createdAt);
  if (startedAt) assert.ok(startedAt >= createdAt!);
  if (completedAt) assert.ok(completedAt >= startedAt!);
}

/** The days on which the mobile CI uses runners that it normally does not. */
function runawayDaysOf(reports: Iterable<RunReport>): Day[] {
  const days = new Set<Day>();
  for (const { repository, workflowName, state, jobs } of reports) {
    const isRunaway = jobs.some(({ labels }) => labels.includes('macos-14-large'));
    if (repository.endsWith('/mobile') && workflowName === 'CI' && isRunaway)
      days.add(dayOf(state!.createdAt));
  }
  return [...days].toSorted();
}

function costByDay(reports: Iterable<RunReport>): Map<Day, number> {
  const costs = new Map<Day, number>();
  for (const report of reports) {
    for (const { completedAt, costNanos } of mergeReports(null, [report], defaultPriceList).jobs) {
      if (!completedAt) continue;
      const day = dayOf(completedAt);
      costs.set(day, (costs.get(day) ?? 0) + Number(costNanos) / 1e9);
    }
  }
  return costs;
}

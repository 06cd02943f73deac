import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addDays, daysOf, weekdayOf, windowEnding, type Day } from '../../../platform/lib/days.ts';
import { getOrCreate, sumOf } from '../../../platform/lib/lists.ts';
import { randomOf, type Random } from '../../../platform/lib/random.ts';
import { defaultThresholdNanos } from '../anomaly.ts';
import { columnOf, type Column } from '../columns/dayColumns.ts';
import type { DayRows } from '../columns/sumRows.ts';
import { findChangeEvents, type ChangeEvent } from './events.ts';

type Job = {
  day: Day;
  second: number;
  workflow: string;
  job: string;
  runner: string;
  nanosPerMinute: bigint;
  minutes: number;
  pullRequest: string | null;
  branch: string;
  actor: string;
};

const today = '2026-11-19';
const window = windowEnding(addDays(today, -1), 30);
const previousWindow = windowEnding(addDays(window.start, -1), 30);
const rates: Record<string, bigint> = { linux: 8_000_000n, large: 32_000_000n, macos: 80_000_000n };

/** Returns the jobs of a day, or none for a job that does not run. */
type Cause = (job: Job, random: Random) => Job[];

/** Two months of four workflows with noise, weekends and pull requests, and a cause that changes jobs. */
function historyOf(random: Random, cause: Cause): Job[] {
  const jobs: Job[] = [];
  for (const day of [...daysOf(previousWindow), ...daysOf(window)]) {
    const isWeekend = weekdayOf(day).startsWith('s');
    for (const [place, workflow] of ['ci', 'web', 'release', 'lint'].entries()) {
      const runs = Math.round((isWeekend ? 3 : 14) * (0.75 + 0.5 * random()) * (1 - place / 8));
      for (let run = 0; run < runs; run++) {
        const isPull = random() < 0.6;
        const number = 100 + Math.floor(random() * 300);
        for (const job of ['build', 'test']) {
          const whole: Job = {
            day,
            second: Math.floor(random() * 86_400),
            workflow,
            job,
            runner: 'linux',
            nanosPerMinute: rates['linux']!,
            minutes: Math.max(1, Math.round((job === 'test' ? 40 : 20) * (0.7 + 0.6 * random()))),
            pullRequest: isPull ? String(number) : null,
            branch: isPull ? `change-${number}` : 'main',
            actor: `person-${number % 7}`,
          };
          jobs.push(...cause(whole, random));
        }
      }
    }
  }
  return jobs.toSorted((a, b) => a.second - b.second);
}

function rowsOf(jobs: readonly Job[], isRemoved = false): DayRows[] {
  const costOf = ({ minutes, nanosPerMinute }: Job) => BigInt(minutes) * nanosPerMinute;
  const cells: Record<string, (job: Job) => string | null> = {
    workflowId: ({ workflow }) => workflow,
    job: ({ job }) => job,
    runner: ({ runner }) => runner,
    nanosPerMinute: ({ nanosPerMinute }) => String(nanosPerMinute),
    minutes: ({ minutes }) => String(minutes),
    costNanos: (job) => String(costOf(job)),
    pullRequest: ({ pullRequest }) => pullRequest,
    branch: ({ branch }) => branch,
    actor: ({ actor }) => actor,
    atMilliseconds: ({ second }) => String(1_000 * second),
  };
  return [...Map.groupBy(jobs, ({ day }) => day)]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, own]) => {
      const columns = new Map<string, Column>();
      return {
        day,
        rows: own.length,
        count: null,
        isRemoved: isRemoved ? new Uint8Array(own.length).fill(1) : null,
        column: (name) => getOrCreate(columns, name, () => columnOf(own.map(cells[name]!))),
      };
    });
}

function eventsOf(jobs: readonly Job[], isRemoved = false): Promise<ChangeEvent[]> {
  const rule = { thresholdNanos: defaultThresholdNanos, today };
  return findChangeEvents(rowsOf(jobs, isRemoved), { window, previousWindow, tests: [], rule });
}

const isWithin = (day: Day, of: Day, days: number) => day >= addDays(of, -days) && day <= addDays(of, days);

type Case = {
  cause: (random: Random) => { cause: Cause; isNamed: (event: ChangeEvent) => boolean };
};

const on = (day: Day, from: Day, to: Day) => day >= from && day <= to;

function ofJobs(event: ChangeEvent | undefined) {
  return event?.type === 'jobs' ? event : null;
}

const cases: Record<string, Case> = {
  'new jobs in a pull request, for three days': {
    cause: () => {
      const [from, to] = ['2026-11-10', '2026-11-12'];
      return {
        cause: (job, random) => {
          if (job.workflow !== 'ci' || job.job !== 'build' || !on(job.day, from, to)) return [job];
          const added = Array.from({ length: 3 }, (_, index) => ({
            ...job,
            job: `ios (${index})`,
            runner: 'macos',
            nanosPerMinute: rates['macos']!,
            minutes: 10 + Math.floor(20 * random()),
            pullRequest: '482',
          }));
          return [job, ...added];
        },
        isNamed: (event) => {
          const of = ofJobs(event);
          return (
            of?.workflowId === 'ci' &&
            of.kind === 'new' &&
            of.jobs.length === 3 &&
            of.runner === 'macos' &&
            of.span.from === from &&
            of.span.to === to &&
            of.span.overSince === addDays(to, 1) &&
            of.origin?.pullRequest === 482 &&
            of.usualNanos === 0n
          );
        },
      };
    },
  },
  'another runner since a pull request': {
    cause: () => ({
      cause: (job) => {
        const moves = job.workflow === 'web' && job.job === 'test' && job.day >= '2026-11-04';
        if (!moves) return [job];
        return [
          {
            ...job,
            runner: 'large',
            nanosPerMinute: rates['large']!,
            pullRequest: job.day === '2026-11-04' ? '77' : job.pullRequest,
          },
        ];
      },
      isNamed: (event) => {
        const of = ofJobs(event);
        return (
          of?.workflowId === 'web' &&
          of.kind === 'mix' &&
          of.jobs.map(({ name }) => name).join() === 'test' &&
          of.runner === 'large' &&
          of.previousRunner === 'linux' &&
          isWithin(of.span.from, '2026-11-04', 1) &&
          of.span.isLasting &&
          of.origin?.pullRequest === 77
        );
      },
    }),
  },
  'longer tests since a commit on the main branch': {
    cause: () => ({
      cause: (job) => {
        if (job.workflow !== 'ci' || job.job !== 'test' || job.day < '2026-11-05') return [job];
        const isFirst = job.day === '2026-11-05';
        return [
          {
            ...job,
            minutes: Math.round(job.minutes * 1.7),
            ...(isFirst && { pullRequest: null, branch: 'main' }),
          },
        ];
      },
      isNamed: (event) => {
        const of = ofJobs(event);
        return (
          of?.workflowId === 'ci' &&
          of.kind === 'duration' &&
          of.jobs.map(({ name }) => name).join() === 'test' &&
          isWithin(of.span.from, '2026-11-05', 1) &&
          of.span.isLasting &&
          of.origin !== null &&
          isWithin(of.origin.day, '2026-11-05', 1)
        );
      },
    }),
  },
  'one burst of a bot': {
    cause: () => ({
      cause: (job) => {
        if (job.workflow !== 'lint' || job.day !== '2026-11-11') return [job];
        return [job, ...Array.from({ length: 9 }, () => ({ ...job, actor: 'renovate[bot]' }))];
      },
      isNamed: (event) => {
        const of = ofJobs(event);
        return (
          of?.workflowId === 'lint' &&
          of.kind === 'volume' &&
          of.span.from === '2026-11-11' &&
          of.span.to === '2026-11-11' &&
          of.span.overSince === '2026-11-12' &&
          of.origin?.actor === 'renovate[bot]'
        );
      },
    }),
  },
  'another price on a day': {
    cause: () => ({
      cause: (job) => [job.day < '2026-11-02' ? job : { ...job, nanosPerMinute: 14_000_000n }],
      isNamed: (event) =>
        event.type === 'price' &&
        event.from === '2026-11-02' &&
        event.runners[0]!.runner === 'linux' &&
        event.runners[0]!.nanosPerMinute === 14_000_000n,
    }),
  },
  'a slow rise': {
    cause: () => ({
      cause: (job, random) => {
        const isLater = job.workflow === 'ci' && job.day >= '2026-11-01';
        return isLater && random() < 0.45 ? [job, { ...job, second: job.second / 2 }] : [job];
      },
      isNamed: (event) => {
        const of = ofJobs(event);
        return of?.workflowId === 'ci' && of.kind === 'volume' && isWithin(of.span.from, '2026-11-01', 4);
      },
    }),
  },
};

const fallCases: Record<string, Case> = {
  'a burst of the period before that ended': {
    cause: () => {
      const [from, to] = ['2026-10-06', '2026-10-08'];
      return {
        cause: (job) => {
          if (job.workflow !== 'ci' || job.job !== 'build' || !on(job.day, from, to)) return [job];
          const added = { ...job, job: 'soak', minutes: 200, pullRequest: '91' };
          return [job, added];
        },
        isNamed: (event) => {
          const of = ofJobs(event);
          return (
            of?.workflowId === 'ci' &&
            of.kind === 'new' &&
            of.jobs.map(({ name }) => name).join() === 'soak' &&
            of.costNanos > of.usualNanos &&
            of.span.from === from &&
            of.span.to === to &&
            of.span.overSince === addDays(to, 1) &&
            of.origin?.pullRequest === 91
          );
        },
      };
    },
  },
  'a burst of usual jobs that ended with the period before': {
    cause: () => ({
      cause: (job) => {
        if (job.workflow !== 'lint' || !on(job.day, '2026-10-15', '2026-10-16')) return [job];
        return [job, ...Array.from({ length: 9 }, () => ({ ...job, actor: 'renovate[bot]' }))];
      },
      isNamed: (event) => {
        const of = ofJobs(event);
        return (
          of?.workflowId === 'lint' &&
          of.kind === 'volume' &&
          of.span.from === '2026-10-15' &&
          of.span.to === '2026-10-16' &&
          of.span.overSince === '2026-10-17' &&
          of.origin?.actor === 'renovate[bot]'
        );
      },
    }),
  },
  'jobs that ended in the period before are no burst': {
    cause: () => ({
      cause: (job) => {
        if (job.workflow !== 'ci' || job.day >= '2026-10-14') return [job];
        return [job, { ...job, job: 'e2e', minutes: 90 }];
      },
      isNamed: (event) => {
        const of = ofJobs(event);
        return of?.kind === 'removed' && of.jobs.map(({ name }) => name).join() === 'e2e';
      },
    }),
  },
};

/** To the last nano-dollar. */
function assertAddsUp(event: ChangeEvent): void {
  const change = event.costNanos - event.usualNanos;
  if (event.type === 'price') return;
  const { volumeNanos, durationNanos, priceNanos, mixNanos } = event.figures;
  assert.equal(volumeNanos + durationNanos + priceNanos + mixNanos, change);
  assert.equal(sumOf(event.jobs, 'costNanos') - sumOf(event.jobs, 'usualNanos'), change);
}

const histories = 40;

describe('a simulated history names its cause', () => {
  for (const [name, { cause: causeOf }] of Object.entries({ ...cases, ...fallCases })) {
    test(name, async () => {
      let named = 0;
      const missed: unknown[] = [];
      for (let seed = 0; seed < histories; seed++) {
        const random = randomOf(seed + 1);
        const { cause, isNamed } = causeOf(random);
        const [event] = await eventsOf(historyOf(random, cause));
        if (event) assertAddsUp(event);
        if (event && isNamed(event)) named++;
        else missed.push(event && { ...event, jobs: 'jobs' in event ? event.jobs.length : 0 });
      }
      assert.ok(
        named >= 0.95 * histories,
        `${named} of ${histories}: ${missed
          .slice(0, 2)
          .map((each) => JSON.stringify(each, (_, v) => (typeof v === 'bigint' ? String(v) : v)))
          .join('\n')}`,
      );
    });
  }

  test('and none where nothing happened', async () => {
    let claimed = 0;
    for (let seed = 0; seed < histories; seed++)
      if ((await eventsOf(historyOf(randomOf(seed + 1), (job) => [job]))).length > 0) claimed++;
    assert.ok(claimed <= 0.05 * histories, `${claimed} of ${histories}`);
  });
});

test('removed runs keep the origin, but no job to look up', async () => {
  const random = randomOf(1);
  const { cause } = cases['new jobs in a pull request, for three days']!.cause(random);
  const [event] = await eventsOf(historyOf(random, cause), true);
  const origin = ofJobs(event)?.origin;
  assert.deepEqual([origin?.pullRequest, origin?.job], [482, null]);
});

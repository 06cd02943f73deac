import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { defaultBook, defaultPriceList, providers, shippedBooks } from '../../../test/harness/priceLists.ts';
import { gitHubExamples } from '../../../test/payloads/gitHub.ts';
import { formatNanos } from '../../platform/lib/money.ts';
import { priceJob, type BillableJob } from './cost.ts';
import type { PriceBook } from './priceBook.ts';
import { createPriceList, type PriceRule } from './priceList.ts';

const start = new Date('2026-03-02T23:30:00Z');
const minute = 60_000;
const hour = 3_600_000;

function lasting(milliseconds: number, overrides: Partial<BillableJob> = {}): BillableJob {
  return {
    provider: 'github',
    labels: ['ubuntu-latest'],
    runnerGroup: null,
    runnerName: null,
    rawConclusion: 'success',
    status: 'completed',
    ran: true,
    startedAt: start,
    completedAt: new Date(start.getTime() + milliseconds),
    ...overrides,
  };
}

const price = (milliseconds: number, overrides: Partial<BillableJob> = {}) =>
  priceJob(lasting(milliseconds, overrides), defaultPriceList);

describe('minutes', () => {
  const rounded: [milliseconds: number, minutes: number][] = [
    [0, 0],
    [1, 1],
    [59_999, 1],
    [60_000, 1],
    [60_001, 2],
    [119_999, 2],
    [120_000, 2],
    [21_600_000, 360],
    [21_600_001, 361],
  ];
  for (const [milliseconds, minutes] of rounded) {
    test(`${milliseconds} ms are ${minutes}`, () => {
      const cost = price(milliseconds);
      assert.equal(cost.billedMinutes, minutes);
      assert.equal(cost.costNanos, BigInt(minutes) * 8_000_000n);
    });
  }

  test('are rounded up per job: 20 jobs of 70 s are 40, not 24', () => {
    const jobs = Array.from({ length: 20 }, () => price(70_000));
    assert.equal(
      jobs.reduce((sum, { billedMinutes }) => sum + billedMinutes, 0),
      40,
    );
    assert.equal(formatNanos(jobs.reduce((sum, { costNanos }) => sum + costNanos, 0n)), '0.32');
  });

  const unbilled: [why: string, overrides: Partial<BillableJob>][] = [
    ['it was skipped', { rawConclusion: 'skipped', ran: null }],
    ['no runner took it', { ran: false }],
    ['it never started', { startedAt: null, ran: null }],
    ['it has no end', { completedAt: null }],
    ['it is queued', { status: 'queued' }],
    ['it is still running', { status: 'in_progress' }],
  ];
  for (const [why, overrides] of unbilled) {
    test(`are zero for a job when ${why}`, () => {
      const cost = price(300_000, overrides);
      assert.deepEqual([cost.billedMinutes, cost.costNanos, cost.isUnpriced, cost.flags], [0, 0n, false, []]);
    });
  }

  for (const rawConclusion of ['failure', 'cancelled', 'timed_out', 'neutral', 'a new word', null]) {
    test(`count for a job that ended with ${rawConclusion}`, () => {
      assert.equal(price(61_000, { rawConclusion, ran: null }).costNanos, 16_000_000n);
    });
  }
});

describe('the price', () => {
  const dollars: [label: string, dollarsPerMinute: string][] = [
    ['ubuntu-latest', '0.008'],
    ['linux_2_core', '0.008'],
    ['ubuntu-latest-4-cores', '0.016'],
    ['linux_4_core', '0.016'],
    ['ubuntu-latest-8-cores', '0.032'],
    ['linux_8_core', '0.032'],
    ['ubuntu-latest-16-cores', '0.064'],
    ['linux_16_core', '0.064'],
    ['windows-latest', '0.016'],
    ['windows_2_core', '0.016'],
    ['macos-latest', '0.08'],
    ['macos_3_core', '0.08'],
    ['macos-latest-large', '0.12'],
    ['macos_12_core', '0.12'],
  ];
  for (const [label, perMinute] of dollars) {
    test(`per minute on ${label} is ${perMinute}`, () => {
      const cost = price(60_000, { labels: [label] });
      assert.equal(formatNanos(cost.costNanos), perMinute);
      assert.equal(formatNanos(cost.nanosPerMinute), perMinute);
    });
  }

  test('is that of the UTC day on which the job completed', () => {
    const book: PriceBook = {
      ...defaultBook,
      prices: {
        ...defaultBook.prices,
        linux_2_core: [
          { effectiveFrom: '2026-03-02', nanosPerMinute: 8n },
          { effectiveFrom: '2026-03-03', nanosPerMinute: 6n },
        ],
      },
    };
    const list = createPriceList(book, [], providers);
    assert.equal(priceJob(lasting(30 * 60_000 - 1), list).nanosPerMinute, 8n);
    assert.equal(priceJob(lasting(30 * 60_000), list).nanosPerMinute, 6n);
    const early = new Date('2026-03-01T00:00:00Z');
    const tooEarly = priceJob(
      { ...lasting(0), startedAt: early, completedAt: new Date(early.getTime() + 1) },
      list,
    );
    assert.deepEqual([tooEarly.costNanos, tooEarly.isUnpriced], [0n, true]);
  });

  test("by the date of each job is that of GitHub's list on that day", () => {
    const [until2025, from2026, byDate] = ['github_2025', 'github_2026', 'github_by_date'].map((id) =>
      createPriceList(
        shippedBooks.find((book) => book.id === id)!,
        [],
        providers,
      ),
    );
    const newYear = Date.parse('2026-01-01T00:00:00Z');
    const job = fc.record({
      label: fc.constantFrom(
        ...providers.kindIds,
        'ubuntu-latest',
        'macos-15',
        'mystery',
        'saas-linux-medium-amd64',
      ),
      provider: fc.constantFrom('github', 'gitlab'),
      // Around midnight, and anywhere from 1996 to 2055.
      end: fc.oneof(fc.integer({ min: -2, max: 2 }), fc.integer({ min: -1e12, max: 1e12 })),
      milliseconds: fc.integer({ min: 0, max: 8 * hour }),
    });
    fc.assert(
      fc.property(job, ({ label, provider, end, milliseconds }) => {
        const completedAt = new Date(newYear + end);
        const startedAt = new Date(newYear + end - milliseconds);
        const facts = lasting(0, { labels: [label], provider, startedAt, completedAt });
        const { priceBookId, ...cost } = priceJob(facts, byDate!);
        const { priceBookId: _, ...expected } = priceJob(facts, end < 0 ? until2025! : from2026!);
        assert.deepEqual(cost, expected);
        assert.equal(priceBookId, 'github_by_date');
      }),
      { numRuns: 1_000 },
    );
  });

  test('names the runner kind and the rule that found it', () => {
    const { kind, rule, confidence } = price(1, { labels: ['windows-2025'] });
    assert.deepEqual([kind, rule, confidence], ['windows_2_core', 'windows', 'certain']);
  });
});

describe('an unknown runner', () => {
  test('counts minutes, costs nothing and is unpriced', () => {
    const cost = price(61_000, { labels: ['mystery'] });
    assert.deepEqual([cost.kind, cost.billedMinutes, cost.costNanos, cost.isUnpriced], [null, 2, 0n, true]);
  });

  test('is not unpriced if it took no time', () => {
    assert.equal(price(0, { labels: ['mystery'] }).isUnpriced, false);
    assert.equal(price(61_000, { labels: ['mystery'], ran: false }).isUnpriced, false);
  });
});

describe('flags', () => {
  test('a negative duration counts as 0', () => {
    const cost = price(-1);
    assert.deepEqual([cost.billedMinutes, cost.costNanos], [0, 0n]);
    assert.deepEqual(cost.flags, ['negative_duration']);
  });

  test('a job on an inferred runner is priced', () => {
    const cost = price(60_000, { labels: ['ubuntu-latest-8-cores'] });
    assert.deepEqual([cost.costNanos, cost.flags], [32_000_000n, ['guessed_runner']]);
  });

  const limits: [label: string, minutes: number][] = [
    ['ubuntu-slim', 15],
    ['ubuntu-latest', 6 * 60],
    ['saas-linux-small-amd64', 3 * 60],
    ['self-hosted', 120 * 60],
    ['depot-ubuntu-24.04', 120 * 60],
    ['mystery', 120 * 60],
  ];
  for (const [label, minutes] of limits) {
    test(`a job on ${label} may take ${minutes} minutes, and is priced even beyond that`, () => {
      const job = { labels: [label], provider: label.startsWith('saas') ? 'gitlab' : 'github' };
      assert.deepEqual(price(minutes * minute, job).flags, []);
      const beyond = price(minutes * minute + 1, job);
      assert.deepEqual(beyond.flags, ['over_time_limit']);
      assert.equal(beyond.billedMinutes, minutes + 1);
    });
  }

  test('several together', () => {
    assert.deepEqual(price(7 * hour, { labels: ['linux-4-core'] }).flags, [
      'guessed_runner',
      'over_time_limit',
    ]);
  });
});

describe('a job that its provider reports long after it stopped it', () => {
  const [nineMonths, uncut] = [273 * 24 * hour, 273 * 24 * 60];
  const own = { match: 'label', pattern: 'ubuntu-latest', runnerKind: null, name: 'Contract' } as const;
  const rules = [{ id: 'r', nanosPerMinute: 1_000_000n, laterRates: [], rounding: null, ...own }];
  const mapped = [
    { ...rules[0]!, pattern: 'mystery', runnerKind: 'linux_4_core', name: null, nanosPerMinute: null },
    { ...rules[0]!, pattern: 'self-hosted', runnerKind: 'linux_4_core', name: null, nanosPerMinute: null },
  ];

  const jobs: [why: string, minutes: number, job: Partial<BillableJob>, rules?: PriceRule[]][] = [
    ['is billed for 6 hours and 10 minutes on a runner of GitHub', 370, {}],
    ['is billed for 25 minutes on ubuntu-slim', 25, { labels: ['ubuntu-slim'] }],
    ['is billed for 190 minutes at GitLab', 190, { provider: 'gitlab', labels: ['saas-linux-small-amd64'] }],
    ['is billed for 310 minutes at CircleCI', 310, { provider: 'circleci', labels: ['medium'] }],
    ['is cut at a rate of your own too, which does not change who hosts it', 370, {}, rules],
    ['is cut if its name says who hosts it', 370, { labels: ['new'], runnerName: 'GitHub Actions 7' }],
    ['is cut if its group says who hosts it', 370, { labels: ['new'], runnerGroup: 'GitHub Actions' }],
    ['is cut if a rule says what an unknown label is', 370, { labels: ['mystery'] }, mapped],
    ['is cut for a run without a provider', 370, { provider: 'api', labels: ['linux_2_core'] }],
    ['is not cut on your own runner', uncut, { labels: ['self-hosted'] }],
    ['is not cut on your own runner at a hosted price', uncut, { labels: ['self-hosted'] }, mapped],
    ['is not cut in the group Default', uncut, { labels: ['mystery'], runnerGroup: 'DEFAULT' }, mapped],
    ['is not cut on a third-party runner', uncut, { labels: ['depot-ubuntu'] }],
    ['is not cut on an unknown runner', uncut, { labels: ['mystery'] }],
    ['is not cut at a price of GitHub', uncut, { provider: 'buildkite', labels: ['mystery'] }, mapped],
    ['is not cut if it names a kind of another', uncut, { provider: 'circleci', labels: ['linux_4_core'] }],
    ['is not cut on your own server', uncut, { provider: 'github.git.acme.example' }],
    [
      'is not cut at Buildkite, which has no limit',
      uncut,
      { provider: 'buildkite', labels: ['queue=macos-medium'] },
    ],
    [
      'is not cut at a provider that we do not know',
      uncut,
      { provider: 'jenkins', labels: ['linux_2_core'] },
    ],
  ];
  for (const [why, minutes, job, jobRules = []] of jobs) {
    test(why, () => {
      const list = createPriceList(defaultBook, jobRules, providers);
      const cost = priceJob(lasting(nineMonths, job), list);
      assert.equal(cost.billedMinutes, minutes);
      assert.ok(cost.flags.includes('over_time_limit'));
      if (cost.hasPrice) assert.equal(cost.costNanos, BigInt(minutes) * cost.nanosPerMinute);
    });
  }

  test('costs the same however late the report is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 370 * minute, max: 100 * nineMonths }), (milliseconds) => {
        assert.equal(price(milliseconds).costNanos, 370n * 8_000_000n);
      }),
    );
  });
});

describe('for any job', () => {
  const anyLabels = fc.array(
    fc.oneof(
      fc.constantFrom(
        ...providers.kindIds,
        'self-hosted',
        'ubuntu-latest',
        'linux-8-core',
        'depot-4',
        'mystery',
      ),
      fc.string({ maxLength: 30 }),
    ),
    { maxLength: 3 },
  );
  const anyJob = fc
    .record({
      milliseconds: fc.integer({ min: -2_000_000_000, max: 2_000_000_000_000 }),
      labels: anyLabels,
      runnerGroup: fc.constantFrom(null, 'GitHub Actions', 'Default', 'Special'),
      runnerName: fc.constantFrom(null, 'box-7'),
      rawConclusion: fc.constantFrom(null, 'success', 'skipped', 'cancelled'),
      status: fc.constantFrom('queued' as const, 'in_progress' as const, 'completed' as const),
      ran: fc.constantFrom(null, true, false),
      hasStarted: fc.boolean(),
    })
    .map(({ milliseconds, hasStarted, ...job }) =>
      lasting(milliseconds, { ...job, ...(hasStarted ? {} : { startedAt: null }) }),
    );

  test('the cost is whole minutes times the price, never below 0', () => {
    fc.assert(
      fc.property(anyJob, (job) => {
        const cost = priceJob(job, defaultPriceList);
        assert.ok(Number.isSafeInteger(cost.billedMinutes) && cost.billedMinutes >= 0);
        assert.ok(cost.nanosPerMinute >= 0n);
        if (cost.rounding === 'minute') {
          assert.equal(cost.costNanos, BigInt(cost.billedMinutes) * cost.nanosPerMinute);
        }
        const isFree = cost.kind === 'self_hosted' || cost.kind === 'third_party';
        const hasNoRate = cost.nanosPerMinute === 0n && !isFree; // also kinds that no list prices, such as Buildkite's
        assert.equal(cost.isUnpriced, hasNoRate && cost.billedMinutes > 0);
      }),
      { numRuns: 2_000 },
    );
  });

  test('a longer job never costs less', () => {
    fc.assert(
      fc.property(anyJob, fc.nat({ max: 200_000 }), (job, more) => {
        const longer = { ...job, completedAt: new Date(job.completedAt!.getTime() + more) };
        const [shortCost, longCost] = [priceJob(job, defaultPriceList), priceJob(longer, defaultPriceList)];
        assert.ok(longCost.billedMinutes >= shortCost.billedMinutes);
        assert.ok(longCost.costNanos >= shortCost.costNanos);
      }),
    );
  });

  test('self-hosted and third-party runners count minutes and cost nothing', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000_000 }),
        fc.constantFrom(
          'self-hosted',
          'self_hosted',
          'third_party',
          'depot-ubuntu',
          'warp-x',
          'cirun-linux-8-core',
        ),
        (milliseconds, label) => {
          const cost = price(milliseconds, { labels: [label] });
          assert.ok(cost.billedMinutes > 0);
          assert.deepEqual([cost.costNanos, cost.isUnpriced], [0n, false]);
        },
      ),
    );
  });
});

type RecordedJob = {
  labels?: string[];
  runner_name?: string | null;
  runner_group_name?: string | null;
  status: string;
  conclusion: string | null;
  started_at: string | null;
  completed_at: string | null;
};

test('every recorded workflow_job can be priced', () => {
  const recorded = gitHubExamples()
    .filter(({ name }) => name === 'workflow_job')
    .flatMap(({ examples }) => examples.map((example) => example['workflow_job'] as RecordedJob));
  assert.ok(recorded.length > 10);
  const billedMinutes = recorded.map((job) => {
    const cost = priceJob(
      {
        provider: 'github',
        labels: job.labels ?? [],
        runnerName: job.runner_name ?? null,
        runnerGroup: job.runner_group_name ?? null,
        rawConclusion: job.conclusion,
        status: job.status === 'completed' || job.status === 'in_progress' ? job.status : 'queued',
        ran: null,
        startedAt: job.started_at === null ? null : new Date(job.started_at),
        completedAt: job.completed_at === null ? null : new Date(job.completed_at),
      },
      defaultPriceList,
    );
    assert.equal(cost.costNanos, BigInt(cost.billedMinutes) * cost.nanosPerMinute);
    return cost.billedMinutes;
  });
  // The two completed ones took 3 min 18 s each.
  assert.deepEqual(
    billedMinutes.filter((minutes) => minutes > 0),
    [4, 4],
  );
});

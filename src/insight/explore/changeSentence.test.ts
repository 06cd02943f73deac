import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { GroupStatus } from '../../ledger/costs/change.ts';
import { windowBetween } from '../../platform/lib/days.ts';
import { causeParts, changeSentence, type Summary } from './changeSentence.ts';
import type { DimensionName } from './readQuestion.ts';

const dollar = 1_000_000_000n;
const usd = (amount: number) => BigInt(Math.round(amount * 1e9));

type Group = {
  names: (string | null)[];
  status?: GroupStatus;
  /** Dollars of volume, duration, price and mix, or the change of a new or vanished group. */
  parts: [volume: number, duration?: number, price?: number, mix?: number];
};

type Case = {
  previous: number;
  groups?: Group[];
  /** Changes of groups that are not among the leading ones. */
  others?: Group['parts'];
  groupBy?: DimensionName[];
  isFiltered?: boolean;
  periods?: [from: string, to: string, comparedFrom: string, comparedTo: string];
  jobs?: bigint;
};

const lastMonth: NonNullable<Case['periods']> = ['2026-02-17', '2026-03-18', '2026-01-18', '2026-02-16'];

function summaryOf({ previous, groups = [], others = [0], groupBy = ['workflow'], ...rest }: Case): Summary {
  const leading = groups.map(({ names, status = 'continued' as const, parts }) => ({
    names,
    status,
    ...partsOf(parts),
  }));
  const all = [...leading, partsOf(others)];
  const sum = (name: keyof ReturnType<typeof partsOf>) => all.reduce((total, each) => total + each[name], 0n);
  const ofStatus = (status: GroupStatus) => {
    const found = leading.filter((each) => each.status === status);
    return {
      groups: found.length,
      changeNanos: found.reduce((total, each) => total + each.changeNanos, 0n),
    };
  };
  const [from, to, comparedFrom, comparedTo] = rest.periods ?? lastMonth;
  const { jobs = 10n } = rest;
  return {
    period: windowBetween(from, to),
    previousPeriod: windowBetween(comparedFrom, comparedTo),
    groupBy,
    isFiltered: rest.isFiltered ?? false,
    total: {
      costNanos: usd(previous) + sum('changeNanos'),
      previousNanos: usd(previous),
      changeNanos: sum('changeNanos'),
      volumeNanos: sum('volumeNanos'),
      durationNanos: sum('durationNanos'),
      priceNanos: sum('priceNanos'),
      mixNanos: sum('mixNanos'),
      jobs,
      previousJobs: jobs,
      minutes: jobs,
      previousMinutes: jobs,
    },
    new: ofStatus('new'),
    vanished: ofStatus('vanished'),
    leading,
  };
}

function partsOf([volume, duration = 0, price = 0, mix = 0]: Group['parts']) {
  const [volumeNanos, durationNanos, priceNanos, mixNanos] = [volume, duration, price, mix].map(usd) as [
    bigint,
    bigint,
    bigint,
    bigint,
  ];
  const changeNanos = volumeNanos + durationNanos + priceNanos + mixNanos;
  return { volumeNanos, durationNanos, priceNanos, mixNanos, changeNanos };
}

const ci = 'CI (acme/api)';
const nightly = 'Nightly (acme/api)';
const deploy = 'Deploy (acme/web)';

const cases: [why: string, given: Case, sentence: string][] = [
  [
    'two causes that make most of it',
    {
      previous: 661.54,
      groups: [
        { names: [ci], parts: [0, 80.1] },
        { names: [nightly], status: 'new', parts: [25] },
        { names: [deploy], parts: [15.3] },
      ],
    },
    'CI cost $120.40 more (+18.2%) than in the 30 days before: mostly longer jobs in CI (acme/api) (+$80.10) and the new workflow Nightly (acme/api) (+$25.00).',
  ],
  [
    'two causes in one place, which is named once',
    { previous: 100, groups: [{ names: [ci], parts: [0, 30, 0, 20] }] },
    'CI cost $50.00 more (+50.0%) than in the 30 days before: longer jobs (+$30.00) and more expensive runners (+$20.00) in CI (acme/api).',
  ],
  [
    'one group that dominates',
    {
      previous: 100,
      groups: [
        { names: [ci], parts: [30] },
        { names: [deploy], parts: [2] },
      ],
    },
    'CI cost $32.00 more (+32.0%) than in the 30 days before: more jobs in CI (acme/api) (+$30.00).',
  ],
  [
    'no group that dominates, but one kind of cause',
    { previous: 100, groups: [{ names: [ci], parts: [0, 4] }], others: [1, 15] },
    'CI cost $20.00 more (+20.0%) than in the 30 days before: longer jobs (+$19.00), the largest of them longer jobs in CI (acme/api) (+$4.00).',
  ],
  [
    'nothing that dominates',
    { previous: 100, groups: [{ names: [ci], parts: [0, 4] }], others: [5, 4, 4, 3] },
    'CI cost $20.00 more (+20.0%) than in the 30 days before: spread over many causes, the largest of them longer jobs in CI (acme/api) (+$4.00).',
  ],
  [
    'only a price',
    { previous: 100, groups: [{ names: [ci], parts: [0, 0, -20] }] },
    'CI cost $20.00 less (−20.0%) than in the 30 days before: lower prices in CI (acme/api) (−$20.00).',
  ],
  [
    'opposite effects',
    {
      previous: 100,
      groups: [
        { names: [ci], parts: [0, 100] },
        { names: [deploy], parts: [-95] },
      ],
    },
    'CI cost $5.00 more (+5.0%) than in the 30 days before: longer jobs in CI (acme/api) (+$100.00), partly offset by fewer jobs in Deploy (acme/web) (−$95.00).',
  ],
  [
    'opposite effects in one place',
    { previous: 100, groups: [{ names: [ci], parts: [30, -10] }] },
    'CI cost $20.00 more (+20.0%) than in the 30 days before: more jobs in CI (acme/api) (+$30.00), though shorter ones (−$10.00).',
  ],
  [
    'opposite effects of prices in one place',
    { previous: 100, groups: [{ names: [ci], parts: [30, 0, 0, -10] }] },
    'CI cost $20.00 more (+20.0%) than in the 30 days before: more jobs in CI (acme/api) (+$30.00), though on cheaper runners (−$10.00).',
  ],
  [
    'effects that cancel each other out',
    {
      previous: 100,
      groups: [
        { names: [ci], parts: [0, 0, 0, 7] },
        { names: [nightly], status: 'vanished', parts: [-7] },
      ],
    },
    'CI cost $100.00, the same as in the 30 days before: more expensive runners in CI (acme/api) (+$7.00) and no more jobs in Nightly (acme/api) (−$7.00) cancel each other out.',
  ],
  [
    'no change',
    { previous: 100, groups: [{ names: [ci], parts: [0] }] },
    'CI cost $100.00, the same as in the 30 days before.',
  ],
  [
    'all new',
    {
      previous: 0,
      groups: [
        { names: [ci], status: 'new', parts: [6] },
        { names: [nightly], status: 'new', parts: [1] },
        { names: [deploy], status: 'new', parts: [0.5] },
      ],
    },
    'CI cost $7.50, and nothing in the 30 days before: mostly the new workflow CI (acme/api) (+$6.00).',
  ],
  [
    'all vanished',
    { previous: 6, groups: [{ names: [ci], status: 'vanished', parts: [-6] }] },
    'CI cost nothing, and $6.00 in the 30 days before: no more jobs in CI (acme/api) (−$6.00).',
  ],
  [
    'many that are new',
    {
      previous: 100,
      groups: Array.from({ length: 12 }, (_, index) => ({
        names: [`feature/${index}`],
        status: 'new' as const,
        parts: [1] as Group['parts'],
      })),
      groupBy: ['branch'],
    },
    'CI cost $12.00 more (+12.0%) than in the 30 days before: 12 new branches (+$12.00), the largest of them the new branch feature/0 (+$1.00).',
  ],
  [
    'many that vanished',
    {
      previous: 100,
      groups: Array.from({ length: 5 }, (_, index) => ({
        names: [`acme/${index}`],
        status: 'vanished' as const,
        parts: [-1] as Group['parts'],
      })),
      groupBy: ['repository'],
    },
    'CI cost $5.00 less (−5.0%) than in the 30 days before: 5 repositories without jobs now (−$5.00), the largest of them no more jobs in acme/0 (−$1.00).',
  ],
  [
    'amounts below a cent',
    { previous: 0.02, groups: [{ names: [ci], parts: [0.000_4] }] },
    'CI cost $0.0004 more (+2.0%) than in the 30 days before: more jobs in CI (acme/api) (+$0.0004).',
  ],
  [
    'a change below a tenth of a percent',
    { previous: 100_000, groups: [{ names: [ci], parts: [1] }] },
    'CI cost $1.00 more (less than 0.1%) than in the 30 days before: more jobs in CI (acme/api) (+$1.00).',
  ],
  [
    'a fall to almost nothing',
    { previous: 100_000, groups: [{ names: [ci], parts: [-99_999] }] },
    'CI cost $99,999.00 less (−99.9%) than in the 30 days before: fewer jobs in CI (acme/api) (−$99,999.00).',
  ],
  [
    'a large rise',
    { previous: 1, groups: [{ names: [ci], parts: [1_234] }] },
    'CI cost $1,234.00 more (+123,400.0%) than in the 30 days before: more jobs in CI (acme/api) (+$1,234.00).',
  ],
  ['nothing at all', { previous: 0, jobs: 0n }, 'No jobs completed in either period.'],
  ['free jobs', { previous: 0, isFiltered: true }, 'The selected jobs cost nothing in either period.'],
  [
    'a question with filters and without groups',
    { previous: 10, groupBy: [], others: [-1, 0, 6], isFiltered: true },
    'The selected jobs cost $5.00 more (+50.0%) than in the 30 days before: higher prices (+$6.00).',
  ],
  [
    'a first period without groups',
    { previous: 0, groupBy: [], others: [5] },
    'CI cost $5.00, and nothing in the 30 days before.',
  ],
  [
    'two dimensions',
    {
      previous: 10,
      groups: [
        { names: [ci, 'main'], status: 'new', parts: [5] },
        { names: [ci, null], parts: [4] },
      ],
      groupBy: ['workflow', 'branch'],
    },
    'CI cost $9.00 more (+90.0%) than in the 30 days before: new jobs in CI (acme/api) on branch main (+$5.00) and more jobs in CI (acme/api) without branch (+$4.00).',
  ],
  [
    'jobs without a price',
    { previous: 10, groups: [{ names: [null], status: 'new', parts: [5] }], groupBy: ['runner'] },
    'CI cost $5.00 more (+50.0%) than in the 30 days before: new jobs without a price (+$5.00).',
  ],
  [
    'names of several lines',
    { previous: 10, groups: [{ names: ['CI\n(acme/api)'], parts: [5] }] },
    'CI cost $5.00 more (+50.0%) than in the 30 days before: more jobs in CI (acme/api) (+$5.00).',
  ],
];

describe('the sentence is about', () => {
  for (const [why, given, sentence] of cases)
    test(why, () => assert.equal(changeSentence(summaryOf(given)), sentence));
});

test('the short cause has no amounts and no examples', () => {
  const short = Object.fromEntries(cases.map(([why, given]) => [why, shortCause(given)]));
  assert.equal(
    short['two causes that make most of it'],
    'mostly from longer jobs in CI (acme/api) and the new workflow Nightly (acme/api)',
  );
  assert.equal(short['one group that dominates'], 'from more jobs in CI (acme/api)');
  assert.equal(short['nothing that dominates'], 'spread over many causes');
  assert.equal(
    short['opposite effects'],
    'from longer jobs in CI (acme/api), partly offset by fewer jobs in Deploy (acme/web)',
  );
  assert.equal(
    short['opposite effects in one place'],
    'from more jobs in CI (acme/api), though shorter ones',
  );
  assert.equal(short['many that vanished'], 'from 5 repositories without jobs now');
  assert.equal(short['no change'], '');
  assert.equal(short['a first period without groups'], 'from more jobs');
});

test('the short cause comes in parts, in which each name stands alone, whatever it contains', () => {
  const names = ['Pay $& in job CI and on (acme/api)', 'x'];
  const given: Case = { previous: 10, groups: [{ names, parts: [5] }], groupBy: ['workflow', 'job'] };
  assert.deepEqual(causeParts(summaryOf(given)), [
    { text: 'from more jobs in ', dimension: null },
    { text: names[0], dimension: 'workflow' },
    { text: ' in job ', dimension: null },
    { text: 'x', dimension: 'job' },
  ]);
});

const shortCause = (given: Case): string =>
  causeParts(summaryOf(given))
    .map(({ text }) => text)
    .join('');

describe('the sentence names', () => {
  const periods: [Case['periods'], opening: string][] = [
    [
      ['2026-03-18', '2026-03-18', '2026-03-17', '2026-03-17'],
      'CI cost $5.00 more (+50.0%) than on the day before:',
    ],
    [
      ['2026-03-01', '2026-03-18', '2025-03-01', '2025-03-18'],
      'CI cost $5.00 more (+50.0%) than in the same 18 days a year before:',
    ],
    [
      ['2026-03-18', '2026-03-18', '2025-03-18', '2025-03-18'],
      'CI cost $5.00 more (+50.0%) than on the same day a year before:',
    ],
    [
      ['2026-03-01', '2026-03-31', '2026-02-01', '2026-02-28'],
      'From Mar 1 to Mar 31, 2026 (31 days), CI cost $5.00 more (+50.0%) than from Feb 1 to Feb 28, 2026 (28 days):',
    ],
    [
      ['2026-01-01', '2026-01-02', '2025-12-01', '2025-12-01'],
      'From Jan 1 to Jan 2, 2026 (2 days), CI cost $5.00 more (+50.0%) than on Dec 1, 2025 (1 day):',
    ],
    [
      ['2025-12-31', '2026-01-01', '2025-12-01', '2025-12-02'],
      'From Dec 31, 2025 to Jan 1, 2026, CI cost $5.00 more (+50.0%) than from Dec 1 to Dec 2, 2025:',
    ],
  ];
  for (const [given, opening] of periods)
    test(given!.join(' '), () => {
      const sentence = changeSentence(
        summaryOf({ previous: 10, groups: [{ names: [ci], parts: [5] }], periods: given! }),
      );
      assert.equal(sentence.slice(0, opening.length), opening);
    });
});

test('the sentence is one, and never says that something is $0.00', () => {
  const part = fc.integer({ min: -1_000_000, max: 1_000_000 }).map((nanos) => nanos / 1e7);
  const group = fc.record({
    names: fc.tuple(fc.constantFrom(ci, nightly, deploy)),
    status: fc.constantFrom('continued' as const, 'new' as const, 'vanished' as const),
    parts: fc.tuple(part, part, part, part),
  });
  fc.assert(
    fc.property(fc.array(group, { maxLength: 5 }), (groups) => {
      const summary = summaryOf({ previous: 1_000, groups });
      const sentence = changeSentence(summary);
      assert.match(sentence, /^CI cost [^\n]*\.$/);
      assert.doesNotMatch(sentence, /\$0\.00(?!\d)|undefined|null/);
      assert.ok(summary.total.costNanos > 0n && summary.total.costNanos < 10_000n * dollar);
    }),
  );
});

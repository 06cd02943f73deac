import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Amount, Estimate, EstimatedJob } from './estimate.ts';
import { estimateMarkdown } from './markdown.ts';

const dollar = 1_000_000_000n;
const amount = (nanos: bigint): Amount => ({ nanos, lowNanos: nanos - dollar, highNanos: nanos + dollar });

const moved: EstimatedJob = {
  workflow: 'CI',
  path: '.github/workflows/ci.yml',
  job: 'test (22)',
  status: 'changed',
  runner: 'macos-latest',
  runnerBefore: 'ubuntu-latest',
  base: amount(10n * dollar),
  head: amount(100n * dollar),
  change: amount(90n * dollar),
  isUnpriced: false,
  basis: { kind: 'own_history', text: '412 recorded jobs of its own' },
};

function estimateOf(jobs: EstimatedJob[], fields: Partial<Estimate> = {}): Estimate {
  return {
    repository: 'acme/api',
    provider: 'github',
    days: 30,
    period: { start: '2025-12-24', end: '2026-03-17', days: 84 },
    recordedJobs: 412,
    leftOutDays: [],
    note: null,
    base: amount(10n * dollar),
    head: amount(100n * dollar),
    change: amount(90n * dollar),
    jobs,
    assumptions: ['Another runner (1 job): expected to take as long as before.'],
    unresolved: [],
    ...fields,
  };
}

test('a change is a sentence, a table and folded details', () => {
  assert.equal(
    estimateMarkdown(estimateOf([moved])),
    `**CI costs about $90.00 more a month (likely +$89.00 to +$91.00): $100.00 instead of $10.00**

| Job | Runner | Before | After | Change |
| --- | --- | ---: | ---: | ---: |
| \`CI / test (22)\` | \`ubuntu-latest\` → \`macos-latest\` | $10.00 | $100.00 | +$90.00 |

<details><summary>How this is estimated</summary>

- Another runner (1 job): expected to take as long as before.
- \`CI / test (22)\`: 412 recorded jobs of its own.

</details>
`,
  );
});

test('where nothing is recorded there is no amount', () => {
  const none = amount(0n);
  const job = { ...moved, base: none, head: none, change: none };
  const fields = {
    recordedJobs: 0,
    change: none,
    base: none,
    head: none,
    note: 'Nothing of acme/apo is recorded yet.',
  };
  const text = estimateMarkdown(estimateOf([job], fields));
  assert.match(
    text,
    /^Nothing of acme\/apo is recorded yet\.\n\n\*\*What CI costs is not known: no job of the/,
  );
  assert.match(text, /macos-latest` \| – \| – \| not known \|/);
  assert.doesNotMatch(text, /\$0/);
});

test('without a changed job it says so', () => {
  assert.equal(estimateMarkdown(estimateOf([])), 'No workflow changes.\n');
  assert.equal(estimateMarkdown(estimateOf([{ ...moved, status: 'unchanged' }])), 'No workflow changes.\n');
});

test('jobs without an amount say why, and gaps are folded', () => {
  const gone = { ...moved, base: null, head: null, change: null };
  const text = estimateMarkdown(
    estimateOf(
      [
        { ...gone, job: 'a', status: 'added', isUnpriced: true },
        { ...gone, job: 'b', status: 'removed' },
      ],
      { unresolved: [{ path: 'ci.yml', job: 'a', reason: 'Its runner has no price.' }] },
    ),
  );
  assert.match(text, /\| `CI \/ a` \(added\) \|.*\| – \| no price \| no price \|/);
  assert.match(text, /\| `CI \/ b` \(removed\) \|.*\| unknown \| – \| unknown \|/);
  assert.match(text, /Could not be resolved[^]*- `ci\.yml` – `a` – Its runner has no price\./);
});

test('names of others neither format nor link nor mention anybody', () => {
  const job = '<img src=x>|`@everyone`\n[x](https://evil.example) **b** #1';
  const text = estimateMarkdown(
    estimateOf([{ ...moved, job, runner: '@owner', basis: { kind: 'similar_jobs', text: `like ${job}` } }], {
      assumptions: ['www.evil.example starts a run', 'Runs are as before.'],
      unresolved: [{ path: '@a.yml', job: '@b', reason: 'It calls @c.' }],
    }),
  );
  const outside = text.replaceAll(/`[^`\n]*`/g, '');
  assert.doesNotMatch(outside, /<img|@|\]\(|https:|www|\*\*b|#1|`/);
  assert.match(outside, /Runs are as before/);
  const row = text.split('\n').find((line) => line.startsWith('| `CI'))!;
  assert.equal(row.split(/(?<!\\)\|/).length, 7);
});

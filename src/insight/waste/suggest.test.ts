import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { providers } from '../../../test/harness/priceLists.ts';
import { groupBesidesDefaultBranch } from '../../intake/providers/github/edit/branchGroup.ts';
import {
  addGroup,
  addSplits,
  categories,
  emptySplit,
  maxNames,
  splitJobs,
  sumOf,
  type Groups,
  type JobGroup,
} from './jobGroups.ts';
import { suggest as suggestFor, type Suggestion } from './suggest.ts';

const suggest = (groups: readonly JobGroup[], name = 'CI') => {
  const split = groups.map(splitJobs).reduce(addSplits, emptySplit());
  return suggestFor(name, groups, providers, sumOf(split, 'waste').costNanos);
};

const minute = 60_000n;
const price = 8_000_000n;

/** Jobs of `minutes` each. */
function groupOf(fields: Partial<JobGroup> & { minutes?: bigint } = {}): JobGroup {
  const { minutes = 10n, ...rest } = fields;
  const jobs = rest.jobs ?? 1n;
  const cost = jobs * minutes * price;
  return {
    workflowId: 'wf_1',
    provider: 'github',
    name: 'test',
    rawConclusion: 'success',
    isRepeated: false,
    succeededLater: false,
    isOvertaken: false,
    isPush: false,
    isBilled: true,
    jobs,
    roundedJobs: 0n,
    costNanos: cost,
    timeNanos: cost,
    lateNanos: 0n,
    billedMs: jobs * minutes * minute,
    timeMs: jobs * minutes * minute,
    lateMs: 0n,
    mergeableJobs: 0n,
    mergeNanos: 0n,
    mergedMs: 0n,
    longestMs: minutes * minute,
    nanosPerMinute: price,
    waitingJobs: 0n,
    waitedMs: 0n,
    ...rest,
  };
}

const brief = (suggestions: Suggestion[]) =>
  suggestions.map(({ action, jobs, savingNanos }) => [action, jobs.join(), savingNanos / price]);

/** Sums that the database could return: each part is at most its whole. */
const anyGroup: fc.Arbitrary<JobGroup> = fc
  .record({
    provider: fc.constantFrom('circleci', 'github', 'gitlab'),
    name: fc.constantFrom('lint', 'test', 'e2e'),
    rawConclusion: fc.constantFrom(
      'success',
      'failure',
      'cancelled',
      'timed_out',
      'skipped',
      'neutral',
      'odd',
      null,
    ),
    isRepeated: fc.boolean(),
    succeededLater: fc.boolean(),
    isOvertaken: fc.boolean(),
    isPush: fc.boolean(),
    isBilled: fc.boolean(),
    jobs: fc.bigInt(1n, 50n),
    minutes: fc.bigInt(1n, 400n),
    nanosPerMinute: fc.constantFrom(0n, 7n, price),
    parts: fc.array(fc.bigInt(0n, 1_000n), { minLength: 4, maxLength: 4 }),
    waitedMs: fc.bigInt(0n, 9_000_000n),
  })
  .map(({ minutes, parts, waitedMs, ...fields }) => {
    const [time, late, merge, longest] = parts as [bigint, bigint, bigint, bigint];
    const billedMs = fields.isBilled ? fields.jobs * minutes * minute : 0n;
    const costNanos = (billedMs / minute) * fields.nanosPerMinute;
    const timeMs = (billedMs * time) / 1_000n;
    const timeNanos = (costNanos * time) / 1_000n;
    const overtaken = fields.isOvertaken ? late : 0n;
    return {
      ...groupOf(fields),
      billedMs,
      costNanos,
      timeMs,
      timeNanos,
      roundedJobs: costNanos > timeNanos ? 1n : 0n,
      lateNanos: (timeNanos * overtaken) / 1000n,
      lateMs: (timeMs * overtaken) / 1000n,
      mergeableJobs: merge > 500n ? 1n : 0n,
      mergeNanos: merge > 500n ? ((costNanos - timeNanos) * merge) / 1000n : 0n,
      mergedMs: merge > 500n ? merge * 600n : 0n,
      longestMs: (timeMs * longest) / 1000n,
      ...(fields.isBilled
        ? {}
        : {
            waitingJobs: fields.jobs,
            waitedMs,
          }),
    };
  });

describe('splitting the cost of jobs', () => {
  test('the categories and the useful part add up to cost and minutes', () => {
    fc.assert(
      fc.property(fc.array(anyGroup, { maxLength: 30 }), (groups) => {
        const split = groups.map(splitJobs).reduce(addSplits, emptySplit());
        const total = sumOf(split, 'all');
        assert.equal(
          total.costNanos,
          groups.reduce((sum, { costNanos }) => sum + costNanos, 0n),
        );
        assert.equal(
          total.ms,
          groups.reduce((sum, { billedMs }) => sum + billedMs, 0n),
        );
        assert.equal(sumOf(split, 'waste').costNanos + split.useful.costNanos, total.costNanos);
        for (const share of Object.values(split)) assert.ok(share.costNanos >= 0n && share.ms >= 0n);
        assert.deepEqual(split.skipped_after_queueing.costNanos, 0n);
      }),
    );
  });

  test('groups read in parts give the same result', () => {
    fc.assert(
      fc.property(fc.array(anyGroup, { maxLength: 30 }), (groups) => {
        const added: Groups = new Map();
        const names = new Set<string>();
        for (const group of groups) addGroup(added, names, group);
        const splitOf = (list: Iterable<JobGroup>) =>
          [...list].map(splitJobs).reduce(addSplits, emptySplit());
        assert.deepEqual(splitOf(added.values()), splitOf(groups));
      }),
    );
  });

  test('jobs of another outcome or name stay apart, whatever is in the words', () => {
    const words = ['a', 'a a', '1 a', 'null', 'undefined', ' ', ''];
    const keys = [...words, null].flatMap((rawConclusion) =>
      words.flatMap((name) => [true, false].map((isPush) => ({ rawConclusion, name, isPush }))),
    );
    const added: Groups = new Map();
    const names = new Set<string>();
    for (const key of [...keys, ...keys]) addGroup(added, names, groupOf(key));
    assert.deepEqual(
      [...added.values()].map(({ rawConclusion, name, isPush, jobs }) => [rawConclusion, name, isPush, jobs]),
      keys.map(({ rawConclusion, name, isPush }) => [rawConclusion, name, isPush, 2n]),
    );
  });

  test('an unknown conclusion is not waste', () => {
    for (const rawConclusion of ['odd', null, 'neutral'])
      assert.equal(splitJobs(groupOf({ rawConclusion })).useful.costNanos, 10n * price);
    for (const rawConclusion of ['failure', 'timed_out', 'cancelled'])
      assert.equal(splitJobs(groupOf({ rawConclusion })).failed.costNanos, 10n * price);
  });

  test('the last of many job names count together', () => {
    const added: Groups = new Map();
    const names = new Set<string>();
    for (let index = 0; index < maxNames + 100; index++)
      addGroup(added, names, groupOf({ name: `build ${index}`, rawConclusion: 'failure', jobs: 2n }));
    assert.equal(added.size, maxNames + 1);
    const split = [...added.values()].map(splitJobs).reduce(addSplits, emptySplit());
    assert.equal(split.failed.jobs, BigInt(2 * (maxNames + 100)));
    assert.ok(suggest([...added.values()]).every(({ jobs }) => jobs.join() !== ''));
  });
});

describe('suggestions', () => {
  test('count no saving twice: those of a category stay within it', () => {
    fc.assert(
      fc.property(fc.array(anyGroup, { maxLength: 12 }), (groups) => {
        const split = groups.map(splitJobs).reduce(addSplits, emptySplit());
        const suggestions = suggest(groups);
        for (const category of categories) {
          const claimed = suggestions
            .filter((suggestion) => suggestion.category === category)
            .reduce((sum, { savingNanos }) => sum + savingNanos, 0n);
          assert.ok(claimed <= split[category].costNanos, `${category}: ${claimed}`);
        }
        for (const { savingNanos } of suggestions) assert.ok(savingNanos >= 0n);
      }),
    );
  });

  test('are empty if all went well', () => {
    assert.deepEqual(suggest([groupOf({ jobs: 100n })]), []);
  });

  test('merge short jobs of a run, named by their rounding cost', () => {
    const short = { minutes: 1n, mergeableJobs: 10n, jobs: 10n };
    const suggestions = suggest([
      groupOf({ ...short, name: 'lint', timeNanos: 5n * price, mergeNanos: 6n * price }),
      groupOf({ ...short, name: 'types', timeNanos: 2n * price }),
      groupOf({ name: 'test' }),
    ]);
    assert.deepEqual(brief(suggestions), [['merge_short_jobs', 'types,lint', 6n]]);
    assert.match(suggestions[0]!.text, /types and lint took two minutes or less/);
    assert.match(suggestions[0]!.text, /They ran one after the other anyway\./);
  });

  test('name the longest wait that merging makes', () => {
    const short = { minutes: 1n, mergeableJobs: 10n, jobs: 10n, timeNanos: 5n * price };
    const [suggestion] = suggest([
      groupOf({ ...short, name: 'lint', mergeNanos: 2n * price, mergedMs: 8n * minute + 1n }),
      groupOf({ ...short, name: 'types', mergedMs: 3n * minute }),
    ]);
    assert.match(suggestion!.text, /up to 9 minutes in one job instead of in parallel\./);
  });

  test('count only the time after the newer run started', () => {
    const overtaken = { isOvertaken: true, isPush: true };
    const suggestions = suggest([
      groupOf({ ...overtaken, lateNanos: 4n * price, lateMs: 4n * minute }),
      groupOf({ ...overtaken, rawConclusion: 'cancelled', lateNanos: price, lateMs: minute }),
    ]);
    assert.deepEqual(brief(suggestions), [['cancel_superseded_runs', 'test', 5n]]);
    // The same group as in a patch, so that no run of the default branch is canceled.
    assert.equal(
      suggestions[0]!.yaml!,
      `concurrency:\n  group: ${groupBesidesDefaultBranch}\n  cancel-in-progress: true`,
    );
    assert.match(suggestions[0]!.text, /deploy/);
  });

  test('never cancel what can stay half done', () => {
    const late = groupOf({ isOvertaken: true, lateNanos: price, lateMs: minute });
    const actionsOf = (job: string, workflow?: string) =>
      suggest([late, groupOf({ name: job })], workflow).map(({ action }) => action);
    assert.deepEqual(actionsOf('lint'), ['cancel_superseded_runs']);
    for (const job of ['deploy-web', 'terraform apply', 'Publish (npm)', 'db_migrate'])
      assert.deepEqual(actionsOf(job), [], job);
    assert.deepEqual(actionsOf('lint', '.github/workflows/release.yml'), []);
  });

  test("use each provider's YAML, and none for others", () => {
    const late = { isOvertaken: true, lateNanos: price, lateMs: minute };
    const yamlOf = (provider: string) => suggest([groupOf({ ...late, provider })])[0]!.yaml;
    assert.match(yamlOf('gitlab')!, /interruptible: true/);
    assert.match(yamlOf('gitlab.git.example.com')!, /interruptible: true/);
    assert.match(yamlOf('github.example.com')!, /cancel-in-progress/);
    for (const provider of ['api', 'gitlab-like', 'github-like'])
      assert.equal(yamlOf(provider), null, provider);
  });

  test('limit jobs that ran far too long, and count the rest as failures', () => {
    const suggestions = suggest([
      groupOf({ minutes: 12n, jobs: 50n }),
      groupOf({ minutes: 360n, jobs: 2n, rawConclusion: 'timed_out' }),
      groupOf({ minutes: 5n, jobs: 4n, rawConclusion: 'failure' }),
    ]);
    assert.deepEqual(brief(suggestions), [
      ['limit_time', 'test', 2n * (360n - 25n)],
      ['fix_failing_jobs', 'test', 2n * 25n + 4n * 5n],
    ]);
    assert.equal(suggestions[0]!.yaml, 'timeout-minutes: 25');
    assert.match(suggestions[1]!.text, /Failing most: test \(6 of 56, 10\.7%\)\./);
  });

  test('use the YAML of the jobs they are about', () => {
    const groups = [
      groupOf({ provider: 'circleci', name: 'lint' }),
      groupOf({ minutes: 12n, jobs: 50n, provider: 'buildkite' }),
      groupOf({ minutes: 360n, jobs: 2n, rawConclusion: 'timed_out', provider: 'buildkite' }),
      groupOf({ name: 'e2e', isOvertaken: true, lateNanos: 80n * price, provider: 'gitlab' }),
    ];
    for (const ordered of [groups, groups.toReversed()]) {
      const yamlOf = (wanted: string) => suggest(ordered).find(({ action }) => action === wanted)!.yaml;
      assert.equal(yamlOf('limit_time'), 'timeout_in_minutes: 25');
      assert.match(yamlOf('cancel_superseded_runs')!, /interruptible: true/);
    }
  });

  test('are the same in whatever order the database returns the groups', () => {
    const [lint, unit] = [{ name: 'lint' }, { name: 'test' }];
    const ran = { minutes: 1n, jobs: 9n };
    const stuck = { minutes: 360n, jobs: 2n, rawConclusion: 'timed_out' };
    const late = { isOvertaken: true, lateNanos: price };
    const ties = [
      ...[lint, unit].flatMap((job) => [groupOf({ ...job, ...ran }), groupOf({ ...job, ...stuck })]),
      groupOf({ name: 'e2e', ...late, rawConclusion: 'neutral', provider: 'gitlab' }),
      groupOf({ name: 'e2e', ...late, rawConclusion: 'odd' }),
    ];
    fc.assert(
      fc.property(
        fc
          .array(anyGroup, { maxLength: 12 })
          .chain((groups) =>
            fc.tuple(fc.constant(groups), fc.shuffledSubarray(groups, { minLength: groups.length })),
          ),
        ([groups, shuffled]) => assert.deepEqual(suggest(shuffled), suggest(groups)),
      ),
      { examples: [[[ties, ties.toReversed()]]] },
    );
  });

  test('ignore a single failure and cancelled jobs', () => {
    assert.deepEqual(suggest([groupOf({ rawConclusion: 'failure' })]), []);
    assert.deepEqual(suggest([groupOf({ rawConclusion: 'cancelled', jobs: 5n })]), []);
  });

  test('separate flaky jobs from needless re-runs', () => {
    const suggestions = suggest([
      groupOf({ isRepeated: true, rawConclusion: 'failure', succeededLater: true, jobs: 3n }),
      groupOf({ isRepeated: true, rawConclusion: 'failure', succeededLater: false, jobs: 9n }),
      groupOf({ isRepeated: true, name: 'build', succeededLater: true, jobs: 2n }),
    ]);
    assert.deepEqual(brief(suggestions), [
      ['fix_flaky_jobs', 'test', 30n],
      ['rerun_failed_jobs_only', 'build', 20n],
    ]);
    assert.match(suggestions[0]!.text, /succeeded when run again: test \(3 times\)/);
  });

  test('report waits of an hour and more, which cost nothing', () => {
    const waiting = { isBilled: false, minutes: 0n, rawConclusion: 'cancelled', waitingJobs: 3n, jobs: 3n };
    assert.deepEqual(suggest([groupOf({ ...waiting, waitedMs: 59n * minute })]), []);
    const [suggestion] = suggest([groupOf({ ...waiting, waitedMs: 90n * minute })]);
    assert.deepEqual(brief([suggestion!]), [['shorten_queue', 'test', 0n]]);
    assert.match(suggestion!.text, /3 jobs waited 90 minutes/);
  });

  test('name failing jobs by their cost, with their failure rate', () => {
    const groups = Array.from({ length: 12 }, (_, index) =>
      groupOf({ name: `job ${index}`, rawConclusion: 'failure', jobs: BigInt(index + 1) }),
    );
    const [suggestion, ...others] = suggest([...groups, groupOf({ name: 'job 11', jobs: 36n })]);
    assert.deepEqual(others, []);
    assert.deepEqual(suggestion!.jobs.slice(0, 2), ['job 11', 'job 10']);
    assert.equal(suggestion!.jobs.length, 10);
    assert.match(suggestion!.text, /job 11 \(12 of 48, 25\.0%\), job 10 \(11 of 11, 100\.0%\).* and 8 more/);
    // A single failure is ignored.
    assert.equal(suggestion!.savingNanos, 770n * price);
  });

  test('leave out savings below a hundredth of the waste', () => {
    const hung = (minutes: bigint) => [
      groupOf({ name: 'rare' }),
      groupOf({ name: 'rare', rawConclusion: 'failure', jobs: 2n, minutes: 1n }),
      groupOf({ name: 'other', rawConclusion: 'cancelled', minutes }),
    ];
    assert.equal(suggest(hung(198n)).length, 1);
    assert.equal(suggest(hung(199n)).length, 0);
  });

  test('keep the five largest savings', () => {
    const hung = Array.from({ length: 9 }, (_, index) => [
      groupOf({ name: `job ${index}` }),
      groupOf({ name: `job ${index}`, rawConclusion: 'cancelled', minutes: 100n + BigInt(index) }),
    ]).flat();
    assert.deepEqual(
      suggest(hung).map(({ jobs }) => jobs[0]),
      ['job 8', 'job 7', 'job 6', 'job 5', 'job 4'],
    );
  });
});

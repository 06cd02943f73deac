/** How runs that nobody needs are judged, in random histories. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { dayOf, startOfWeek } from '../../platform/lib/days.ts';
import { sumOf } from '../../platform/lib/lists.ts';
import { fixesOf } from './fixes.ts';
import { emptySplit, sumOf as sumOfSplit } from './jobGroups.ts';
import type { Suggestion } from './suggest.ts';
import { hasPurpose, judgeSchedule, removable, type StartedRun, type Starts } from './unneeded.ts';

function mostly<Usual, Other>(usual: Usual, ...others: Other[]): fc.Arbitrary<Usual | Other> {
  return fc.oneof(
    { weight: 60, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );
}

const anyRuns = fc
  .array(
    fc.record({
      branch: fc.constantFrom('main', 'next'),
      commit: mostly('a', 'b', null),
      conclusion: mostly('success', 'failure', null),
      attempt: mostly(1, 2),
      hours: fc.integer({ min: 0, max: 40 * 24 }),
    }),
    { maxLength: 60 },
  )
  .map((all) =>
    all.map(({ hours, ...run }, index): StartedRun => ({
      id: `run_${index}`,
      workflowId: 'wf_0',
      event: 'schedule',
      runNumber: null,
      pullRequest: null,
      createdAt: new Date(Date.UTC(2026, 0, 1, hours)),
      costNanos: 1n,
      ...run,
    })),
  );

describe('a schedule', () => {
  test('keeps one idle run of each day or week, and every run of a new commit', () => {
    let idle = 0;
    fc.assert(
      fc.property(anyRuns, (runs) => {
        const judged = judgeSchedule(runs);
        if (!judged) return;
        idle++;
        const { found, avoidable, of, every } = judged;
        assert.ok(runs.every(({ attempt }) => attempt === 1) && of === runs.length);
        assert.ok(found.length >= 5 && found.length * 5 >= of * 4);
        const ids = new Set(found.map(({ id }) => id));
        assert.ok(avoidable.every(({ id }) => ids.has(id)));
        const units = found.map(({ createdAt }) =>
          every === 'day' ? dayOf(createdAt) : startOfWeek(dayOf(createdAt)),
        );
        assert.equal(found.length - avoidable.length, new Set(units).size);
        for (const branch of ['main', 'next']) {
          const commits = new Set(runs.filter((run) => run.branch === branch).map(({ commit }) => commit));
          const kept = runs.filter((run) => run.branch === branch && !ids.has(run.id));
          assert.ok([...commits].every((commit) => kept.some((run) => run.commit === commit)));
        }
      }),
      { numRuns: 500 },
    );
    assert.ok(idle > 0);
  });

  test('that has an effect, or checks something outside, is known by its names', () => {
    for (const name of [
      'Deploy',
      'nightly-release.yml',
      'DB backup',
      'Security scan',
      'stale',
      'CodeQL',
      'terraform apply',
    ])
      assert.ok(hasPurpose([null, name]), name);
    for (const name of ['Nightly', 'CI', 'e2e tests', 'build', '.github/workflows/nightly.yml', null])
      assert.ok(!hasPurpose([name]), String(name));
  });
});

test('of workflows that do the same, whatever is kept is not removed too', () => {
  const anyId = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const anyTwins = fc.array(
    fc.record({ workflowId: anyId, twinId: anyId, event: fc.constantFrom('push', 'x') }),
  );
  fc.assert(
    fc.property(
      anyTwins,
      fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 5, maxLength: 5 }),
      (all, runs) => {
        const twins = all.filter(({ workflowId, twinId }) => workflowId !== twinId);
        const starts = ['a', 'b', 'c', 'd', 'e'].map(
          (id, index) => ({ workflowId: id, runs: runs[index]! }) as Starts,
        );
        const removed = removable(twins, starts);
        const kept = new Set(removed.map(({ twinId }) => twinId));
        assert.ok(removed.every(({ workflowId }) => !kept.has(workflowId)));
        assert.ok(twins.length === 0 || removed.length > 0);
        for (const own of Map.groupBy(removed, ({ workflowId }) => workflowId).values())
          assert.equal(new Set(own.map(({ twinId }) => twinId)).size, 1);
      },
    ),
  );
});

test('no dollar of these runs is in another fix of the workflow too', () => {
  const anyNanos = fc.bigInt(0n, 10n ** 12n);
  const anyCosts = fc.record({ useful: anyNanos, failed: anyNanos, rounding: anyNanos });
  fc.assert(
    fc.property(anyCosts, anyCosts, fc.integer({ min: 1, max: 90 }), (avoided, others, days) => {
      const [avoidable, split] = [emptySplit(), emptySplit()];
      for (const part of ['useful', 'failed', 'rounding'] as const) {
        avoidable[part] = { ...avoidable[part], costNanos: avoided[part] };
        split[part] = { ...split[part], costNanos: avoided[part] + others[part] };
      }
      const common = { text: '', jobs: [], yaml: null };
      const suggestions: Suggestion[] = (['failed', 'rounding'] as const).map((category) => ({
        ...common,
        category,
        action: 'limit_time',
        savingNanos: split[category].costNanos / 2n,
      }));
      const ci = { id: 'wf_0', name: 'CI', repository: 'acme/api' };
      const window = { start: '2026-03-01', end: '2026-03-01', days };
      const costNanos = sumOfSplit(avoidable, 'all').costNanos;
      const unneeded = {
        kind: 'idle_schedule' as const,
        workflowId: 'wf_0',
        suggestion: { ...common, category: 'idle_schedule' as const, action: 'run_less_often' as const },
        evidence: { runs: 5, ofRuns: 5, events: [], every: null, twin: null, pullRequests: null, newest: [] },
        costNanos,
        avoidable,
        usual: { costNanos, ofNanos: costNanos },
        window,
      };
      const shown = [{ ...ci, split, suggestions, usual: { suggestions, leftOutDays: [] } }];
      const fixes = fixesOf({ waste: { period: window, shown }, unneeded: [unneeded] }, [], [ci]);
      const fix = fixes.find(({ category }) => category === 'idle_schedule')!;
      assert.ok(fix.savingNanos >= avoided.useful && fix.savingNanos <= costNanos);
      assert.ok(sumOf(fixes, 'savingNanos') <= sumOfSplit(split, 'all').costNanos);
    }),
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Explanation } from '../../../parts/alerts/types.ts';
import { countedDays, exploreAddress, longestOf, parts, shownOf, type Change } from './explained.ts';

const none: Change = { volume: 0, duration: 0, price: 0, mix: 0, observed: 0, baseline: 0, change: 0 };

function explanationOf(changes: Change[], others: Change = none): Explanation {
  const workflows = changes.map((change, index) => ({ ...change, workflow_name: `w${index}` }));
  return { workflows, others: { ...others, workflows: 3 } } as unknown as Explanation;
}

const dollars = fc.integer({ min: -2_000_000_000_000, max: 2_000_000_000_000 }).map((nanos) => nanos / 1e9);
const changes: fc.Arbitrary<Change> = fc.record({
  volume: dollars,
  duration: dollars,
  price: dollars,
  mix: dollars,
  observed: dollars,
  baseline: dollars,
  change: dollars,
});

test('the total is the exact sum of all lines, however many are shown', () => {
  fc.assert(
    fc.property(fc.array(changes, { maxLength: 60 }), changes, fc.nat(60), (list, others, count) => {
      const { workflows, others: rest, all } = shownOf(explanationOf(list, others), count);
      const nanosOf = (lines: Change[], part: keyof Change) =>
        lines.reduce((sum, line) => sum + BigInt(Math.round(line[part] * 1e9)), 0n);
      for (const part of [...parts, 'change', 'observed', 'baseline'] as const) {
        assert.equal(BigInt(Math.round(all[part] * 1e9)), nanosOf([...list, others], part));
        assert.equal(nanosOf([...workflows, rest], part), nanosOf([all], part));
      }
    }),
  );
});

test('sums have no floating-point digits', () => {
  const tenth = { ...none, volume: 0.1, change: 0.1 };
  const { all } = shownOf(explanationOf([tenth, tenth, tenth]), 1);
  assert.equal(all.volume, 0.3);
});

test('hidden workflows count as others', () => {
  const { workflows, others } = shownOf(explanationOf([none, none, none]), 2);
  assert.equal(workflows.length, 2);
  assert.equal(others.workflows, 4);
});

test('the longest bar is the largest part up or down, and zero without parts', () => {
  const shown = shownOf(explanationOf([{ ...none, price: -7, volume: 2, change: -5 }]), 5);
  assert.equal(longestOf(shown), 7);
  assert.equal(longestOf(shownOf(explanationOf([]), 5)), 0);
});

const days = {
  period: { start: '2026-11-01', end: '2026-11-30' },
  counted_until: '2026-11-11',
  triggered_at: '2026-11-12T09:00:00.000Z',
};

test('a trigger opens Explore on the days it counts, with the filters of its scope', () => {
  const dates = 'from=2026-11-01&to=2026-11-11&group_by=workflow&sort=-change';
  const address = (scope: Parameters<typeof exploreAddress>[0]['scope']) =>
    decodeURIComponent(exploreAddress({ ...days, scope }));
  assert.equal(address({ type: 'organization' }), `/explore?${dates}`);
  assert.equal(address({ type: 'repository', value: 'acme/*' }), `/explore?${dates}&repository=acme/*`);
  assert.equal(address({ type: 'workflow', value: 'wf_1', name: 'CI' }), `/explore?${dates}&workflow=wf_1`);
  assert.equal(address({ type: 'team', value: 'All*' }), `/explore?${dates}&team==All*`);
  assert.equal(
    address({ type: 'branch', value: 'main', repository: 'acme/api' }),
    `/explore?${dates}&branch=main&repository=acme/api`,
  );
});

test('an old trigger counts until its day, and at most its period', () => {
  const last = (triggered_at: string) => countedDays({ ...days, counted_until: null, triggered_at }).to;
  assert.equal(last('2026-11-12T09:00:00.000Z'), '2026-11-12');
  assert.equal(last('2026-12-01T00:03:00.000Z'), '2026-11-30');
});

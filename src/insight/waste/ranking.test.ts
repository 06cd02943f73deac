/** The order of fixes, and what they save per month. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { addDays } from '../../platform/lib/days.ts';
import type { DecisionRow } from './decisions.queries.ts';
import { fixesOf, monthlySaving } from './fixes.ts';
import { categories, emptySplit } from './jobGroups.ts';
import {
  compareDays,
  outcomeText,
  pastSavings,
  perDays,
  savedPerMonth,
  savedPerWeek,
  type Outcome,
} from './outcome.ts';
import type { Suggestion } from './suggest.ts';

const anySuggestion = fc
  .record({ category: fc.constantFrom(...categories), savingNanos: fc.bigInt(0n, 10n ** 15n) })
  .map((known): Suggestion => ({ ...known, action: 'limit_time', text: '', jobs: [], yaml: null }));

const anyWorkflows = fc
  .array(fc.array(anySuggestion, { maxLength: 5 }), { minLength: 1, maxLength: 6 })
  .map((all) =>
    all.map((suggestions, index) => ({
      id: `wf_${index}`,
      name: 'CI',
      repository: `acme/${index}`,
      suggestions,
      usual: { suggestions, leftOutDays: [] },
      split: emptySplit(),
    })),
  );

const anyDecision = fc.record({
  workflowId: fc.constantFrom('wf_0', 'wf_1', 'wf_gone'),
  category: fc.constantFrom<string>(...categories),
  status: fc.constantFrom<DecisionRow['status']>('done', 'dismissed'),
  decidedAt: fc.date({ noInvalidDate: true }),
});
const anyDecisions = fc
  .uniqueArray(anyDecision, { selector: ({ workflowId, category }) => `${workflowId}.${category}` })
  .map((all) =>
    all.map((row): DecisionRow => ({
      orgId: '',
      reason: null,
      author: '',
      memberId: null,
      promisedNanos: null,
      ...row,
    })),
  );

describe('fixes', () => {
  test('have each saving once: with and without decisions they add up to all suggestions', () => {
    fc.assert(
      fc.property(
        anyWorkflows,
        anyDecisions,
        fc.integer({ min: 1, max: 90 }),
        (workflows, decisions, days) => {
          const period = { start: '2026-03-01', end: '2026-03-01', days };
          const fixes = fixesOf({ waste: { period, shown: workflows }, unneeded: [] }, decisions, workflows);
          const all = workflows.flatMap(({ suggestions }) => suggestions);
          const sum = (amounts: bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
          const savings = sum(fixes.map(({ savingNanos }) => savingNanos));
          assert.equal(savings, sum(all.map(({ savingNanos }) => savingNanos)));
          const open = fixes.filter(({ status }) => status === 'open');
          assert.equal(monthlySaving(fixes), sum(open.map(({ monthlyNanos }) => monthlyNanos)));
          assert.ok(monthlySaving(fixes) * BigInt(days) <= savings * 30n);
          assert.deepEqual(
            open.map(({ savingNanos }) => savingNanos),
            open.map(({ savingNanos }) => savingNanos).toSorted((a, b) => Number(b - a)),
          );
          assert.equal(new Set(fixes.map(({ id }) => id)).size, fixes.length);
          // A decided fix stays in the list even if there is nothing left to change.
          const known = decisions.filter(({ workflowId }) => workflows.some(({ id }) => id === workflowId));
          assert.equal(fixes.length - open.length, known.length);
        },
      ),
    );
  });

  test('of 30 days save a month what they saved in the period, to the last digit', () => {
    const suggestions: Suggestion[] = [
      { category: 'rerun', action: 'fix_flaky_jobs', text: '', jobs: [], savingNanos: 7n, yaml: null },
    ];
    const usual = { suggestions, leftOutDays: [] };
    const ci = { id: 'wf_0', name: 'CI', repository: 'acme/api' };
    const workflows = [{ ...ci, split: emptySplit(), suggestions, usual }];
    const savingOf = (days: number) => {
      const period = { start: '2026-03-01', end: '2026-03-01', days };
      return monthlySaving(fixesOf({ waste: { period, shown: workflows }, unneeded: [] }, [], workflows));
    };
    assert.deepEqual([7, 30, 90].map(savingOf), [30n, 7n, 2n]);
  });
});

const anyDay = fc.integer({ min: 0, max: 400 }).map((days) => addDays('2026-01-01', days));

describe('whether a fix saved', () => {
  test('is judged by whole weeks, as many before its day as after, within what was recorded', () => {
    fc.assert(
      fc.property(anyDay, anyDay, fc.option(anyDay), (doneOn, today, firstDay) => {
        const found = compareDays(doneOn, today, firstDay);
        if ('weeks' in found) {
          const { weeks, before, since } = found;
          assert.ok(weeks >= 1 && weeks <= 4);
          assert.deepEqual([before.days, since.days], [7 * weeks, 7 * weeks]);
          assert.deepEqual([addDays(before.end, 1), addDays(since.start, -1)], [doneOn, doneOn]);
          assert.ok(since.end < today && firstDay! <= before.start);
        } else if (found.state === 'too_early') {
          // It is known on that day, and not on the day before.
          assert.ok(found.knownOn > today);
          const on = (day: string) => compareDays(doneOn, day, addDays(doneOn, -7));
          assert.ok('weeks' in on(found.knownOn) && !('weeks' in on(addDays(found.knownOn, -1))));
        } else assert.ok(firstDay === null || addDays(firstDay, 7) > doneOn);
      }),
    );
  });

  const comparedOf = (
    weeks: number,
    before: bigint,
    since: bigint,
    promisedNanos: bigint | null = null,
  ): Extract<Outcome, { state: 'compared' }> => {
    const found = compareDays('2026-06-01', addDays('2026-06-01', 7 * weeks + 1), '2026-01-01');
    assert.ok('weeks' in found);
    return {
      state: 'compared',
      before: { costNanos: before, workflowNanos: before },
      since: { costNanos: since, workflowNanos: since },
      comparison: found,
      promisedNanos,
    };
  };

  test('is said in amounts that add up as they are written', () => {
    const anyCost = fc.bigInt(0n, 10n ** 14n);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), anyCost, anyCost, (weeks, before, since) => {
        const outcome = comparedOf(weeks, before, since);
        const [first, second, saved = 0n] = outcomeText(outcome)
          .matchAll(/\$([\d,]+)\.(\d\d)\b/g)
          .map(([, whole, cents]) => BigInt(whole!.replaceAll(',', '') + cents!));
        const difference = first! - second!;
        assert.equal(difference < 0n ? -difference : difference, saved);
        assert.equal(savedPerWeek(outcome), difference * 10_000_000n);
        const exact = before / BigInt(weeks);
        const rounded = perDays(before, 7, weeks);
        assert.ok(rounded - exact <= 5_000_000n && exact - rounded <= 5_000_000n);
      }),
    );
  });

  for (const [outcome, text] of [
    [
      comparedOf(2, 24_800_000_000n, 1_600_000_000n),
      '$12.40 a week before, $0.80 since: saved $11.60 a week.',
    ],
    [comparedOf(1, 800_000_000n, 12_400_000_000n), '$0.80 a week before, $12.40 since: $11.60 a week more.'],
    [comparedOf(1, 1n, 0n), '$0.00 a week before, $0.00 since: no change.'],
    [
      { state: 'too_early', knownOn: '2026-12-01', promisedNanos: null },
      'Too early to say until Dec 1, 2026.',
    ],
    [
      { state: 'no_history', promisedNanos: null },
      'Nothing to compare with: no week was recorded before the change.',
    ],
    [{ state: 'too_many_jobs', promisedNanos: null }, 'Too many jobs to compare.'],
    [
      comparedOf(2, 24_800_000_000n, 1_600_000_000n, 60_000_000_000n),
      '$12.40 a week before, $0.80 since: saved $11.60 a week. Promised $60.00 a month, saved $49.71.',
    ],
    [
      comparedOf(1, 800_000_000n, 12_400_000_000n, 60_000_000_000n),
      '$0.80 a week before, $12.40 since: $11.60 a week more. Promised $60.00 a month, costs $49.71 more.',
    ],
    [
      { state: 'too_early', knownOn: '2026-12-01', promisedNanos: 2_001_500_000n },
      'Too early to say until Dec 1, 2026. Promised $2.00 a month.',
    ],
  ] as [Outcome, string][])
    test(`reads: ${text}`, () => assert.equal(outcomeText(outcome), text));

  test('adds up promises and savings of the fixes that have both', () => {
    const first = comparedOf(1, 14_000_000_000n, 0n, 50_000_000_000n);
    const worse = comparedOf(1, 0n, 7_000_000_000n, 10_000_000_000n);
    const early = { state: 'too_early', knownOn: '2026-12-01', promisedNanos: 10n } as const;
    const savedBy = (outcomes: Record<string, Outcome>) => pastSavings(new Map(Object.entries(outcomes)));
    const others = { 'wf_1.rerun': early, 'wf_2.rerun': comparedOf(1, 9n, 0n) };
    assert.deepEqual(savedBy({ 'wf_1.failed': first, 'wf_1.rounding': worse, ...others }), {
      fixes: 2,
      promisedNanos: 60_000_000_000n,
      savedNanos: 30_000_000_000n,
    });
    assert.equal(savedPerMonth(first), 60_000_000_000n);
    assert.equal(savedBy({ 'wf_1.rerun': early }), null);
    // A workflow that is gone wasted nothing any more either, which is one saving.
    const [gone, less] = [first, comparedOf(1, 7_000_000_000n, 0n, 1n)];
    const savedOf = (outcomes: Record<string, Outcome>) => savedBy(outcomes)!.savedNanos;
    assert.equal(savedOf({ 'wf_1.duplicate_workflow': gone, 'wf_1.failed': less }), savedPerMonth(gone));
    assert.equal(
      savedOf({ 'wf_1.duplicate_workflow': gone, 'wf_2.failed': less }),
      savedPerMonth(gone) + savedPerMonth(less),
    );
    assert.equal(savedOf({ 'wf_1.idle_schedule': gone, 'wf_1.failed': worse }), 30_000_000_000n);
  });
});

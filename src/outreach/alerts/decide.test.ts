import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { windowEnding } from '../../platform/lib/days.ts';
import { decideSignals, type PastTriggers, type Signal } from './decide.ts';
import type { AnomalyRule } from './rules/anomaly.ts';
import type { BudgetRule } from './rules/budget.ts';
import type { Measured } from './rules/rule.ts';

const dollar = 1_000_000_000n;
const percent = 1_000_000_000n;
const budget: BudgetRule = {
  type: 'budget',
  scope: { type: 'organization' },
  measure: 'list_cost',
  thresholdNanos: 100n * dollar,
  period: 'month',
  frequency: 'daily',
  enabled: true,
};
const anomaly: AnomalyRule = { ...budget, type: 'anomaly', thresholdNanos: 50n * percent };
const fresh: PastTriggers = { open: null, announcedNanos: null };
const march = windowEnding('2026-03-31', 31);
const trigger: Signal = { kind: 'trigger', isOver: false };
const reopen: Signal = { kind: 'reopen' };
const pastTrigger: Signal = { kind: 'trigger', isOver: true };
const cleared: Signal = { kind: 'resolve', reason: 'condition_cleared' };
const ended: Signal = { kind: 'resolve', reason: 'period_ended' };

function measured(observedNanos: bigint, baselineNanos: bigint | null = null): Measured {
  const windows = { window: march, countedWindow: march, baselineWindows: [], recurs: null };
  return { observedNanos, baselineNanos, ...windows, baselineUntil: null };
}

/** After a trigger in the period that starts on this day. */
function triggered(
  periodStart: string,
  isOpen: boolean,
  thresholdNanos = budget.thresholdNanos,
): PastTriggers {
  const announcedNanos = periodStart === march.start ? thresholdNanos : null;
  return { open: isOpen ? { periodStart } : null, announcedNanos };
}

describe('a budget', () => {
  const signals = (spend: bigint, previous: PastTriggers, rule = budget) =>
    decideSignals(rule, measured(spend), previous).signals;
  const over = 100n * dollar + 1n;

  test('is not over at exactly its threshold', () => {
    assert.deepEqual(decideSignals(budget, measured(100n * dollar), fresh), {
      state: 'ok',
      conditionMet: false,
      isBehind: false,
      currentNanos: 100n * dollar,
      thresholdNanos: 100n * dollar,
      signals: [],
    });
  });

  test('is over by one nano-dollar', () => {
    assert.deepEqual(decideSignals(budget, measured(over), fresh), {
      state: 'triggered',
      conditionMet: true,
      isBehind: false,
      currentNanos: over,
      thresholdNanos: 100n * dollar,
      signals: [trigger],
    });
  });

  const march1 = '2026-03-01';
  const cases: [what: string, spend: bigint, previous: PastTriggers, expected: Signal[]][] = [
    ['stays silent while it stays over', over, triggered(march1, true), []],
    ['resolves when it is no longer over', dollar, triggered(march1, true), [cleared]],
    ['resolves only once', dollar, triggered(march1, false), []],
    [
      'does not trigger twice in a period, but opens its trigger again',
      over,
      triggered(march1, false),
      [reopen],
    ],
    ['triggers in the next period', over, triggered('2026-02-01', false), [trigger]],
    ['resolves when a new period is not over', dollar, triggered('2026-02-01', true), [ended]],
    [
      'resolves and triggers when a new period is over',
      over,
      triggered('2026-02-01', true),
      [ended, trigger],
    ],
    [
      'triggers again after its threshold was raised',
      over,
      triggered(march1, false, 99n * dollar),
      [trigger],
    ],
    [
      'does not trigger again after its threshold was lowered',
      over,
      triggered(march1, false, 101n * dollar),
      [reopen],
    ],
    [
      "keeps a later period's trigger when a late check judges an earlier one",
      dollar,
      triggered('2026-04-01', true),
      [],
    ],
    ['triggers late for an earlier period', over, triggered('2026-04-01', true), [pastTrigger]],
    [
      'triggers only once for an earlier period',
      over,
      { ...triggered('2026-04-01', true), announcedNanos: budget.thresholdNanos },
      [],
    ],
  ];
  for (const [what, spend, previous, expected] of cases) {
    test(what, () => assert.deepEqual(signals(spend, previous), expected));
  }

  test('reports its condition but gives no signal when disabled', () => {
    for (const previous of [fresh, triggered(march1, true), triggered('2026-02-01', true)]) {
      const decision = decideSignals({ ...budget, enabled: false }, measured(over), previous);
      assert.equal(decision.conditionMet, true);
      assert.equal(decision.state, 'triggered');
      assert.deepEqual(decision.signals, []);
    }
  });
});

describe('an anomaly', () => {
  test('is not over at exactly its percentage', () => {
    const decision = decideSignals(anomaly, measured(15n * dollar, 10n * dollar), fresh);
    assert.equal(decision.conditionMet, false);
    assert.equal(decision.currentNanos, 50n * percent);
  });

  test('is over by one nano-dollar', () => {
    const decision = decideSignals(anomaly, measured(15n * dollar + 1n, 10n * dollar), fresh);
    assert.equal(decision.conditionMet, true);
    assert.equal(decision.currentNanos, 50n * percent + 1n); // two decimals, but never equal to the threshold that it exceeds
    assert.deepEqual(decision.signals, [trigger]);
  });

  test('ignores a spike of less than a dollar on a quiet day', () => {
    const spike = decideSignals(anomaly, measured(dollar + 9n, 10n), fresh);
    assert.equal(spike.conditionMet, false);
    assert.equal(spike.state, 'ok');
    assert.ok(spike.currentNanos > 1_000n * percent);
    assert.deepEqual(decideSignals(anomaly, measured(dollar + 10n, 10n), fresh).signals, [trigger]);
  });

  test('shows the rise in percent with two decimals, also below 0', () => {
    const shown = (observed: bigint, baseline: bigint) =>
      decideSignals(anomaly, measured(observed, baseline), fresh).currentNanos;
    assert.equal(shown(4n, 3n), 33_330_000_000n);
    assert.equal(shown(5n, 3n), 66_670_000_000n);
    assert.equal(shown(2n, 3n), -33_330_000_000n);
    assert.equal(shown(0n, 3n), -100n * percent);
  });

  const high = measured(20n * dollar, 10n * dollar);
  const low = measured(10n * dollar, 10n * dollar);
  const cases: [what: string, value: Measured, previous: PastTriggers, expected: Signal[]][] = [
    ['stays silent while it lasts, whatever the day', high, triggered('2026-02-28', true), []],
    ['resolves when it is over', low, triggered('2026-02-28', true), [cleared]],
    ['resolves only once', low, triggered('2026-02-28', false), []],
    ['triggers again after it was resolved', high, triggered('2026-02-28', false), [trigger]],
    [
      'is not announced twice for the same days',
      high,
      { open: null, announcedNanos: 50n * percent },
      [reopen],
    ],
    [
      'resolves when there is nothing left to compare with',
      measured(dollar),
      triggered('2026-02-28', true),
      [cleared],
    ],
  ];
  for (const [what, value, previous, expected] of cases) {
    test(what, () => assert.deepEqual(decideSignals(anomaly, value, previous).signals, expected));
  }

  test('is undecided without enough history', () => {
    assert.deepEqual(decideSignals(anomaly, measured(1_000n * dollar), fresh), {
      state: 'insufficient_data',
      conditionMet: false,
      isBehind: false,
      currentNanos: 0n,
      thresholdNanos: anomaly.thresholdNanos,
      signals: [],
    });
  });

  test('gives no signal when disabled', () => {
    const disabled = { ...anomaly, enabled: false };
    const decision = decideSignals(disabled, high, fresh);
    assert.deepEqual([decision.conditionMet, decision.signals], [true, []]);
    assert.deepEqual(decideSignals(disabled, low, triggered('2026-02-28', true)).signals, []);
  });
});

test('alternates between triggers and resolutions in any sequence, and triggers a budget once a month at most', () => {
  const starts = ['2026-01-01', '2026-02-01', '2026-03-01', '2026-04-01'];
  const checks = fc.array(fc.tuple(fc.nat(3), fc.constantFrom(dollar, 500n * dollar)), { maxLength: 60 });
  fc.assert(
    fc.property(checks, fc.constantFrom(budget, anomaly), (unsorted, rule) => {
      let open: PastTriggers['open'] = null;
      const announced = new Set<string>();
      const triggeredIn: string[] = [];
      for (const [month, spend] of unsorted.toSorted(([a], [b]) => a - b)) {
        const start = starts[month]!;
        const value = { ...measured(spend, 10n * dollar), window: { ...march, start } };
        const announcedNanos: bigint | null =
          rule === budget && announced.has(start) ? rule.thresholdNanos : null;
        for (const { kind } of decideSignals(rule, value, { open, announcedNanos }).signals) {
          assert.equal(kind === 'resolve', open !== null);
          open = kind === 'resolve' ? null : { periodStart: start };
          if (kind !== 'trigger') continue;
          announced.add(start);
          triggeredIn.push(start);
        }
        assert.equal(open !== null, spend > dollar);
      }
      if (rule === budget) assert.equal(new Set(triggeredIn).size, triggeredIn.length);
    }),
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beforeInWords, causeInWords } from './changeWords.ts';

const window = (start: string, end: string, days: number) => ({ start, end, days });

test('the period before has a short name, or its dates', () => {
  const named = (period: ReturnType<typeof window>, previous: ReturnType<typeof window>) =>
    beforeInWords({ period, previous_period: previous });
  const month = window('2026-03-01', '2026-03-30', 30);
  assert.deepEqual(named(month, window('2026-01-30', '2026-02-28', 30)), {
    name: 'previous 30 days',
    at: 'in the previous 30 days',
  });
  const day = window('2026-03-02', '2026-03-02', 1);
  assert.equal(named(day, window('2026-03-01', '2026-03-01', 1)).at, 'on the day before');
  assert.equal(named(day, window('2025-03-02', '2025-03-02', 1)).at, 'on Mar 2, 2025');
  assert.equal(named(month, window('2025-03-01', '2025-03-30', 30)).name, 'Mar 1 – Mar 30, 2025');
});

test('workflows are named as on the page, and other names stay', () => {
  type Cause = Parameters<typeof causeInWords>[0];
  const named = (dimension: 'workflow' | 'job', ...names: string[]): Cause => ({
    cause_parts: names.flatMap((text) => [
      { text: ' in ', dimension: null },
      { text, dimension },
    ]),
    groups: names.map((name) => ({ by: [{ dimension, value: name, name }] })) as Cause['groups'],
  });
  const ofOneOwner = named('workflow', 'CI (acme/api)', 'Test (a) (acme/web)');
  assert.equal(causeInWords(ofOneOwner), ' in CI · api in Test (a) · web');
  assert.equal(
    causeInWords(named('workflow', 'CI (acme/api)', 'CI (other/web)')),
    ' in CI · acme/api in CI · other/web',
  );
  assert.equal(causeInWords(ofOneOwner, { isOfOne: true }), ' in CI in Test (a)');
  assert.equal(causeInWords(named('job', 'ios (17)')), ' in ios (17)');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beforeInWords, shortCause } from './changeWords.ts';

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

test('workflows are named as on the page, and a name with parentheses stays', () => {
  const of = (...names: string[]) =>
    names.map((name) => ({ by: [{ dimension: 'workflow', value: name, name }] })) as Parameters<
      typeof shortCause
    >[0]['groups'];
  const cause = 'mostly from longer jobs in CI (acme/api) and the new workflow Test (a) (acme/web)';
  const groups = of('CI (acme/api)', 'Test (a) (acme/web)');
  assert.equal(
    shortCause({ cause, group_by: ['workflow'], groups }),
    'mostly from longer jobs in CI · api and the new workflow Test (a) · web',
  );
  assert.equal(
    shortCause({ cause, group_by: ['workflow'], groups: of('CI (acme/api)', 'CI (other/web)') }),
    'mostly from longer jobs in CI · acme/api and the new workflow Test (a) (acme/web)',
  );
  assert.match(shortCause({ cause, group_by: ['workflow'], groups }, { isOfOne: true }), / in CI and the/);
  assert.equal(
    shortCause({ cause: 'from Pay $& (acme/api)', group_by: ['workflow'], groups: of('Pay $& (acme/api)') }),
    'from Pay $& · api',
  );
  assert.equal(
    shortCause({ cause: 'from ios (17)', group_by: ['job'], groups: of('ios (17)') }),
    'from ios (17)',
  );
});

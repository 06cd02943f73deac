import assert from 'node:assert/strict';
import { test } from 'node:test';
import { longDay } from '../ui/figures.ts';
import { dayFrom, typedDates } from './dayText.ts';
import { historyStart } from './ranges.ts';

test('reads a day as pages show it, as the API has it, and in other usual ways', () => {
  for (const day of ['2026-01-31', '2028-02-29', '2026-12-01'])
    assert.deepEqual([dayFrom(day), dayFrom(longDay(day))], [day, day]);
  assert.deepEqual(
    [
      'nov 1 2026',
      ' November 1, 2026 ',
      'Nov. 01, 2026',
      'Nov  1,\u00A02026',
      '1 Nov 2026',
      '01 november 2026',
    ].map(dayFrom),
    Array(6).fill('2026-11-01'),
  );
  assert.equal(dayFrom('  '), '');
});

test('what is no day reads as none', () => {
  for (const text of [
    'tomorrow',
    '2026-02-30',
    'Feb 30, 2026',
    'Nov 1',
    'Nov 2026',
    '1 Nov 1, 2026',
    '31 Nov 2026',
    '2026-11-1',
    ' 1, 2026',
    'Foo 1, 2026',
    'Marble 1, 2026',
    '90d',
    '1.11.2026',
  ])
    assert.equal(dayFrom(text), null, text);
});

const known = { first: '2025-11-22', today: '2026-11-21' };

test('typed days are a period up to today, or say which of them is wrong', () => {
  const wrong = (from: string, to: string) => {
    const typed = typedDates(from, to, known);
    return 'text' in typed ? typed.fields : [];
  };
  assert.deepEqual(typedDates('Nov 1, 2026', '2026-11-21', known), {
    from: '2026-11-01',
    to: '2026-11-21',
  });
  assert.deepEqual(wrong('soon', '2026-11-21'), ['from']);
  assert.deepEqual(typedDates('', '2026-11-21', known), {
    text: 'Enter days such as Nov 1, 2026',
    fields: ['from'],
  });
  assert.deepEqual(typedDates('Nov 1, 2026', 'Nov 31, 2026', known), {
    text: '“Nov 31, 2026” is not a day. Enter days such as Nov 1, 2026',
    fields: ['to'],
  });
  assert.deepEqual(wrong('', 'soon'), ['from', 'to']);
  assert.deepEqual(wrong('2026-11-03', '2026-11-02'), ['to']);
  assert.deepEqual(wrong('2026-11-03', '2026-11-22'), ['to']);
  assert.deepEqual(wrong('2026-12-03', '2026-11-20'), ['from']);
});

test('days before the history of the plan are refused by its first day', () => {
  const text = 'Your plan’s history begins on Nov 22, 2025';
  assert.deepEqual(typedDates('2025-11-21', '2026-11-21', known), { text, fields: ['from'] });
  assert.deepEqual(typedDates('2024-11-21', '2025-11-21', known), { text, fields: ['from', 'to'] });
  assert.deepEqual(typedDates('2025-11-22', '2025-11-23', known), { from: '2025-11-22', to: '2025-11-23' });
  assert.deepEqual(
    (['free', 'team'] as const).map((plan) => historyStart(plan, known.today)),
    ['2026-10-23', known.first],
  );
});

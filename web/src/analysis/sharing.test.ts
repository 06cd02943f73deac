import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setCalendar } from '../api/calendar.ts';
import { initial, queryOf, questionIn } from './question.ts';
import { detailsOfShare, sharedQueryOf, titleOfShare } from './sharing.ts';

const today = '2026-11-23';

test('a shared question keeps its days, and the page reads it as it was asked', () => {
  for (const search of [
    '',
    'range=this_month&compare=none',
    'days=7&group_by=none&chart=treemap',
    'from=2026-01-01&to=2026-06-30&group_by=team,repository&granularity=week&sort=name',
    'branch=main&branch=release/*&actor=!dependabot[bot]&metric=net_cost&limit=100',
  ]) {
    const question = questionIn(new URLSearchParams(search));
    const query = sharedQueryOf(question, today);
    assert.doesNotMatch(query, /days=|range=/);
    const read = questionIn(new URLSearchParams(query));
    const { days, ...asked } = queryOf(question, today);
    const { from, to, ...readAsked } = queryOf(read, '2026-12-24');
    const { from: _, to: __, ...expected } = asked;
    assert.deepEqual(readAsked, expected, search);
    assert.ok(from && to && to <= today, search);
    assert.ok(days === undefined || from > '2026-10', search);
  }
});

test('a shared question keeps the weeks of the organization', () => {
  assert.match(sharedQueryOf(initial, today, { isMoving: true }), /^days=30&(?!.*from=)/);
  assert.doesNotMatch(sharedQueryOf(initial, today), /week_start/);
  setCalendar({ time_zone: 'UTC', fiscal_year_start_month: 1, week_start: 'sunday' });
  assert.match(sharedQueryOf(initial, today), /&week_start=sunday/);
  setCalendar(null);
});

test('a link says what it shows', () => {
  assert.equal(titleOfShare(sharedQueryOf(initial, today)), 'Cost by repository · Oct 25 – Nov 23, 2026');
  const filtered = 'from=2026-11-01&to=2026-11-30&metric=runs&group_by=&branch=main&actor=!bot';
  assert.equal(titleOfShare(filtered), 'Runs · November 2026 · Branch is main · Triggered by is not bot');
  assert.equal(titleOfShare('days=30&group_by='), 'Cost · Last 30 days');
  assert.equal(detailsOfShare(sharedQueryOf(initial, today)), 'by day, vs previous period');
  assert.equal(detailsOfShare(filtered), '');
});

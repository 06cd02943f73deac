import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { questionIn } from '../../analysis/question.ts';
import { askedBy, hasWaste, listIn, orderParameters, withRepo } from './workflowList.ts';

const today = '2026-11-22';
const asked = (search: string) => {
  const params = new URLSearchParams(search);
  return askedBy(withRepo(questionIn(params), params.get('repo')), listIn(params), today);
};

test('an empty address lists the most expensive workflows of the last 30 days first', () => {
  assert.deepEqual(asked(''), {
    days: 30,
    compare: 'previous_period',
    metric: 'cost',
    granularity: 'day',
    sort: '-cost',
    page: 1,
    per_page: 50,
  });
});

test('addresses of before keep their meaning', () => {
  const { days, repository, search, status, sort, page } = asked(
    'days=90&repo=acme/api&search=ci&status=failure&sort_by=duration&sort_order=asc&page=2',
  );
  assert.deepEqual(
    { days, repository, search, status, sort, page },
    {
      days: 90,
      repository: ['acme/api'],
      search: 'ci',
      status: 'failure',
      sort: 'duration_p50',
      page: 2,
    },
  );
  assert.deepEqual(asked('repo=api').repository, ['*/api']);
});

test('any address becomes a request that the API answers', () => {
  const names = fc.constantFrom('days', 'status', 'sort_by', 'sort_order', 'page', 'metric', 'compare');
  const values = fc.oneof(
    fc.string(),
    fc.constantFrom('waste', 'share', 'change', 'none', 'net_cost', 'runs', '365'),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(names, values)), (pairs) => {
      const search = new URLSearchParams(pairs).toString();
      const { sort, page, metric, compare, status } = asked(search);
      assert.ok(metric === 'cost' || metric === 'net_cost');
      assert.ok(Number.isSafeInteger(page) && page! >= 1);
      assert.ok(!sort!.endsWith('share'));
      assert.ok(!(sort!.endsWith('change') && compare === 'none'));
      assert.ok(!(sort!.endsWith('waste') && !hasWaste(questionIn(new URLSearchParams(search)), today)));
      assert.notEqual(status, null);
    }),
  );
});

test('the usual order has no place in the address, and any other reads back', () => {
  assert.deepEqual(orderParameters({ column: 'cost', isDescending: true }), {
    sort_by: null,
    sort_order: null,
  });
  for (const column of ['waste', 'share'] as const) {
    const order = { column, isDescending: false };
    const params = new URLSearchParams(orderParameters(order) as Record<string, string>);
    assert.deepEqual(listIn(params).order, order);
  }
  // The API has no order by share, which is the one by cost.
  assert.equal(asked('sort_by=share').sort, '-cost');
});

test('waste is of list prices and of at most 90 days', () => {
  const has = (search: string) => hasWaste(questionIn(new URLSearchParams(search)), today);
  assert.deepEqual(['', 'days=90', 'days=91', 'metric=net_cost'].map(has), [true, true, false, false]);
});

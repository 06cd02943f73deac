import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { askedBy, daysKnown, filterIn, sortedBy, statuses, type Filter } from './filter.ts';

const sorts = ['cost', 'name', 'runs', 'success_rate', 'duration', 'last_run'] as const;

function addressOf({ days, search, repo, status, sortBy, sortOrder, page }: Filter): URLSearchParams {
  const all = { days, search, repo, status, sort_by: sortBy, sort_order: sortOrder, page: String(page) };
  return new URLSearchParams(Object.entries(all).filter((entry): entry is [string, string] => !!entry[1]));
}

const filters: fc.Arbitrary<Filter> = fc
  .record({
    days: fc.constantFrom(...daysKnown),
    search: fc.string({ unit: 'grapheme' }),
    repo: fc.string({ unit: 'grapheme' }),
    status: fc.constantFrom(null, ...statuses),
    sortBy: fc.constantFrom(...sorts),
    sortOrder: fc.constantFrom('asc', 'desc'),
    page: fc.integer({ min: 1, max: 10_000 }),
  })
  .map((filter) => ({
    ...filter,
    isNarrowed: filter.search !== '' || filter.repo !== '' || filter.status !== null,
  }));

test('a filter reads back from the address unchanged', () => {
  fc.assert(
    fc.property(filters, (filter) => {
      assert.deepEqual(filterIn(new URLSearchParams(addressOf(filter).toString())), filter);
    }),
  );
});

test('any address becomes a valid API request', () => {
  const names = fc.constantFrom('days', 'status', 'sort_by', 'sort_order', 'page', 'search', 'repo');
  fc.assert(
    fc.property(fc.array(fc.tuple(names, fc.string())), (pairs) => {
      const asked = askedBy(filterIn(new URLSearchParams(pairs)));
      assert.ok([7, 30, 90, 365].includes(asked.days!));
      assert.ok(Number.isSafeInteger(asked.page) && asked.page! >= 1);
      assert.ok(sorts.some((sort) => sort === asked.sort_by));
      assert.ok(asked.status === undefined || statuses.some((status) => status === asked.status));
      assert.notEqual(asked.search, '');
    }),
  );
});

test('an empty address lists the most expensive workflows of the last 30 days first', () => {
  assert.deepEqual(askedBy(filterIn(new URLSearchParams())), {
    days: 30,
    page: 1,
    sort_by: 'cost',
    sort_order: 'desc',
  });
});

test('a click reverses the sorted column, and a new column starts with its usual order', () => {
  const press = (column: (typeof sorts)[number], address: URLSearchParams) => {
    for (const [name, value] of Object.entries(sortedBy(column, filterIn(address)))) {
      if (value === null) address.delete(name);
      else address.set(name, value);
    }
    return address.toString();
  };
  const address = new URLSearchParams();
  assert.equal(press('cost', address), 'sort_order=asc');
  assert.equal(press('cost', address), '');
  assert.equal(press('name', address), 'sort_by=name&sort_order=asc');
  assert.equal(press('runs', address), 'sort_by=runs');
});

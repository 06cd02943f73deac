import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Book } from '../../../api/queries.ts';
import { kindRows, nameOfOwnBook, shownRows, withPrice } from './kinds.ts';
import type { Rule, RunnerKind } from './queries.ts';

const day = '2026-11-23';
const price = (runner_kind: string, usd_per_minute: number, effective_from = '1970-01-01') => ({
  runner_kind,
  usd_per_minute,
  effective_from,
  title: runner_kind,
});
const published = {
  id: 'github',
  name: 'GitHub',
  is_shipped: true,
  is_chosen: false,
  based_on: null,
  prices: [price('linux', 0.008), price('linux', 0.006, '2026-01-01'), price('mac', 0.06)],
} as unknown as Book;
const own = {
  id: 'book_1',
  name: 'Ours',
  is_shipped: false,
  is_chosen: true,
  based_on: 'github',
  prices: [price('linux', 0.005), price('mac', 0.06), price('arm', 0.001)],
} as unknown as Book;
const kind = (runner_kind: string, usd_per_minute: number | null): RunnerKind => ({
  runner_kind,
  usd_per_minute,
  title: runner_kind.toUpperCase(),
  provider: 'github',
  provider_title: 'GitHub',
});
const rule = (id: string, fields: Partial<Rule>) =>
  ({
    id,
    match: 'label',
    pattern: id,
    runner_kind: null,
    name: null,
    usd_per_minute: null,
    ...fields,
  }) as Rule;

const unknown = { runner_kind: null, explanation: null, estimated_cost: null };

const known = {
  kinds: [kind('linux', 0.005), kind('mac', 0.06), kind('arm', 0.001), kind('none', null)],
  books: [published, own],
  rules: [rule('big', { name: 'Big', usd_per_minute: 0.1 }), rule('gpu', { runner_kind: 'mac' })],
  unpriced: [
    {
      ...unknown,
      labels: ['lab', 'perf-lab'],
      runner_group: 'Lab',
      has_new_label: false,
      jobs: 2,
      minutes: 40,
      last_seen: day,
    },
    {
      ...unknown,
      labels: ['gpu'],
      runner_group: null,
      has_new_label: false,
      jobs: 1,
      minutes: 3,
      last_seen: day,
    },
    { ...unknown, labels: [], runner_group: null, has_new_label: false, jobs: 1, minutes: 2, last_seen: day },
  ],
  usage: new Map([
    ['linux', { minutes: 100, cost: 0.5 }],
    ['custom:Big', { minutes: 30, cost: 3 }],
  ]),
  today: day,
};

test('all that needs a price is one list: unpriced first, then by cost', () => {
  assert.deepEqual(
    kindRows(known).map(({ name, list, own: ours, price: now, minutes }) => [name, list, ours, now, minutes]),
    [
      ['lab, perf-lab', null, null, null, 40],
      ['gpu', null, null, 0.06, 3],
      ['No labels', null, null, null, 2],
      ['Big', null, 0.1, 0.1, 30],
      ['LINUX', 0.006, 0.005, 0.005, 100],
      ['MAC', 0.06, null, 0.06, 0],
      ['ARM', null, 0.001, 0.001, 0],
      ['NONE', null, null, null, 0],
    ],
  );
});

test('a price is set where it belongs: by the list, the rule, or a new rule for the label', () => {
  const targets = kindRows(known).map(({ target }) => target && [target.by, Object.values(target).at(-1)]);
  assert.deepEqual(targets.slice(0, 3), [['label', 'perf-lab'], null, null]);
  assert.deepEqual(targets.slice(3, 5), [
    ['rule', known.rules[0]],
    ['list', 'linux'],
  ]);
});

test('with a published list in use, nothing is an own price but the rules', () => {
  const books = [{ ...published, is_chosen: true }];
  const rows = kindRows({ ...known, books, kinds: [kind('linux', 0.006)] });
  assert.deepEqual(
    shownRows(rows, 'own', '').map(({ name }) => name),
    ['Big'],
  );
});

test('the list shows what is used, own, unpriced or all, and what a search finds', () => {
  const names = (...args: [Parameters<typeof shownRows>[1], string]) =>
    shownRows(kindRows(known), ...args).map(({ name }) => name);
  assert.deepEqual(names('used', 'l'), ['lab, perf-lab', 'gpu', 'No labels', 'Big', 'LINUX']);
  assert.deepEqual(names('unpriced', ''), ['lab, perf-lab', 'gpu', 'No labels', 'NONE']);
  assert.deepEqual(names('all', 'mac '), ['MAC']);
});

test('a new price applies from today, or always where there was none', () => {
  const changed = withPrice(published.prices, 'linux', 0.004, day);
  assert.deepEqual(changed.at(-1), { runner_kind: 'linux', usd_per_minute: 0.004, effective_from: day });
  assert.equal(changed.length, 4);
  assert.equal(withPrice(changed, 'linux', 0.003, day).length, 4);
  assert.equal(withPrice(published.prices, 'arm', 1, day).at(-1)!.effective_from, '1970-01-01');
});

test('the own list gets a name that is free', () => {
  assert.equal(nameOfOwnBook([published]), 'Own prices');
  assert.equal(nameOfOwnBook([{ name: 'own prices' }, { name: 'Own prices 2' }]), 'Own prices 3');
});

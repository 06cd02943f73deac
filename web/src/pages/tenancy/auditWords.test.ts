import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesIn, changesIn } from './auditWords.ts';

const none = new Map<string, string>();

test('a change shows the value before', () => {
  const details = { name: 'New', enabled: false, before: { name: 'Old', enabled: true } };
  assert.deepEqual(changesIn(details, none), [
    { field: 'name', before: 'Old', after: 'New' },
    { field: 'enabled', before: 'yes', after: 'no' },
  ]);
  const chosen = { book_id: 'book_2', book_id_before: 'book_1' };
  assert.deepEqual(changesIn(chosen, none), [{ field: 'book id', before: 'book_1', after: 'book_2' }]);
});

test('unchanged fields are left out, except lists, which may differ inside', () => {
  const prices = [{ usd: 1 }];
  const details = { pattern: 'a', rounding: null, before: { pattern: 'a', rounding: null } };
  assert.deepEqual(changesIn(details, none), []);
  const book = { prices_before: prices, prices: [{ usd: 2 }] };
  assert.deepEqual(changesIn(book, none), [{ field: 'prices', before: '1 item', after: '1 item' }]);
});

test('an unknown value before is left out, and an empty one reads none', () => {
  assert.deepEqual(changesIn({ role: 'admin' }, none), [{ field: 'role', before: null, after: 'admin' }]);
  const set = { chat_webhook: { host: 'chat.example', format: 'slack' }, before: { chat_webhook: null } };
  assert.deepEqual(changesIn(set, none), [
    { field: 'chat webhook', before: 'none', after: 'host chat.example, format slack' },
  ]);
});

test('days and instants read as dates', () => {
  const details = { from: '2026-03-01', since: '2026-03-01T10:05:00.000Z', version: '2026-03' };
  assert.deepEqual(
    changesIn(details, none).map(({ after }) => after),
    ['Mar 1, 2026', 'Mar 1, 2026, 10:05 UTC', '2026-03'],
  );
});

test('names come before ids, and lists of objects are counted', () => {
  const names = new Map([['mem_1', 'Ann']]);
  const details = { member_id: 'mem_1', scopes: ['admin', 'runs:write'], prices: [{ usd: 1 }, { usd: 2 }] };
  assert.deepEqual(
    changesIn(details, names).map(({ after }) => after),
    ['Ann (mem_1)', 'admin, runs:write', '2 items'],
  );
});

test('the name of a target is its latest name in the entries', () => {
  const entries = [
    { target: 'a', details: { enabled: false, before: { enabled: true } } },
    { target: 'a', details: { name: 'Newer', before: { name: 'Older' } } },
    { target: 'a', details: { name: 'Older' } },
    { target: 'b', details: { email: 'b@acme.test' } },
  ];
  assert.deepEqual(
    [...namesIn(entries)],
    [
      ['a', 'Newer'],
      ['b', 'b@acme.test'],
    ],
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesIn, toldIn } from './auditWords.ts';

const none = new Map<string, string>();

test('a change is told with what was before', () => {
  const details = { name: 'New', enabled: false, before: { name: 'Old', enabled: true } };
  assert.deepEqual(toldIn(details, none), [
    { field: 'name', before: 'Old', after: 'New' },
    { field: 'enabled', before: 'yes', after: 'no' },
  ]);
  const chosen = { book_id: 'book_2', book_id_before: 'book_1' };
  assert.deepEqual(toldIn(chosen, none), [{ field: 'book id', before: 'book_1', after: 'book_2' }]);
});

test('what stayed as it was is not told, though it was sent; a list may differ in what it holds', () => {
  const prices = [{ usd: 1 }];
  const details = { pattern: 'a', rounding: null, before: { pattern: 'a', rounding: null } };
  assert.deepEqual(toldIn(details, none), []);
  const book = { prices_before: prices, prices: [{ usd: 2 }] };
  assert.deepEqual(toldIn(book, none), [{ field: 'prices', before: 'a list of 1', after: 'a list of 1' }]);
});

test('what was before is left out where it is not known, and told where there was nothing', () => {
  assert.deepEqual(toldIn({ role: 'admin' }, none), [{ field: 'role', before: null, after: 'admin' }]);
  const set = { chat_webhook: { host: 'chat.example', format: 'slack' }, before: { chat_webhook: null } };
  assert.deepEqual(toldIn(set, none), [
    { field: 'chat webhook', before: 'none', after: 'host chat.example, format slack' },
  ]);
});

test('names stand before ids, and long lists are counted', () => {
  const names = new Map([['mem_1', 'Ann']]);
  const details = { member_id: 'mem_1', scopes: ['admin', 'runs:write'], prices: [{ usd: 1 }, { usd: 2 }] };
  assert.deepEqual(
    toldIn(details, names).map(({ after }) => after),
    ['Ann (mem_1)', 'admin, runs:write', 'a list of 2'],
  );
});

test('the latest name that entries tell of a thing is its name', () => {
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

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changesOf, trimmed, wordsIn } from './typed.ts';

test('a typed list has commas, semicolons or spaces', () => {
  assert.deepEqual(wordsIn(' acme.com, acme.org;acme.net  '), ['acme.com', 'acme.org', 'acme.net']);
  assert.deepEqual(wordsIn(' '), []);
});

test('changes have only what differs, also within lists', () => {
  const before = { name: 'CI', teams: ['web'], limit: null as number | null };
  assert.deepEqual(changesOf(before, { ...before, teams: ['web'] }), {});
  assert.deepEqual(changesOf(before, { ...before, teams: ['api'], limit: 0 }), { teams: ['api'], limit: 0 });
});

test('a number typed as text is a change only if it is another number', () => {
  const before: { limit: number | string } = { limit: 2 };
  for (const limit of ['2.', '02', 2]) assert.deepEqual(changesOf(before, { limit }), {});
  for (const limit of ['', '-', '2.5', 0]) assert.deepEqual(changesOf(before, { limit }), { limit });
  assert.deepEqual(changesOf({ limit: '' }, { limit: '0' }), { limit: '0' });
});

test('spaces around texts do not count, except where they do', () => {
  const typed = { name: ' Acme ', secret: ' s ', days: 90, rows: [' a '] };
  assert.deepEqual(trimmed(typed, ['secret']), { ...typed, name: 'Acme' });
  assert.deepEqual(changesOf(trimmed({ name: 'Acme ' }), trimmed({ name: 'Acme' })), {});
});

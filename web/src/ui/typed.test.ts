import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changesOf, wordsIn } from './typed.ts';

test('a typed list has commas, semicolons or spaces', () => {
  assert.deepEqual(wordsIn(' acme.com, acme.org;acme.net  '), ['acme.com', 'acme.org', 'acme.net']);
  assert.deepEqual(wordsIn(' '), []);
});

test('changes have only what differs, also within lists', () => {
  const before = { name: 'CI', teams: ['web'], limit: null as number | null };
  assert.deepEqual(changesOf(before, { ...before, teams: ['web'] }), {});
  assert.deepEqual(changesOf(before, { ...before, teams: ['api'], limit: 0 }), { teams: ['api'], limit: 0 });
});

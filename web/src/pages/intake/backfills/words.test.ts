import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notesOf, repositoriesIn, repositoriesText, shareText } from './words.ts';

test('reads repositories from pasted text', () => {
  assert.deepEqual(repositoriesIn(' acme/app, acme/site\nhttps://github.com/acme/api.git\n'), [
    'acme/app',
    'acme/site',
    'acme/api',
  ]);
  assert.deepEqual(repositoriesIn(' \n'), []);
});

test('a share is 100% only if nothing was missing', () => {
  assert.deepEqual([1, 0.99999, 0.5, 0].map(shareText), ['100%', '99.9%', '50.0%', '0.0%']);
});

test('many repositories read as the first and a count', () => {
  assert.equal(repositoriesText(['acme/app']), 'acme/app');
  assert.equal(repositoriesText(['acme/app', 'acme/b', 'acme/c']), 'acme/app and 2 more');
});

test('lists unread runs and counts the others', () => {
  const unread = { repository: 'acme/app', run_id: '42', reason: 'GitHub answered 502' };
  const problem = { repository: 'acme/old', message: 'acme/old is archived.' };
  assert.deepEqual(notesOf({ unread_count: 3, unread_runs: [unread], problems: [problem] }), [
    'Run 42 of acme/app could not be read: GitHub answered 502',
    '2 more runs could not be read.',
    'acme/old is archived.',
  ]);
  assert.deepEqual(notesOf({ unread_count: 0, unread_runs: [], problems: [] }), []);
});

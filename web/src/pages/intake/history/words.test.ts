import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Backfill } from './queries.ts';
import { canRepeat, notesOf, repositoriesIn, repositoriesText, shareText, stepOf } from './words.ts';

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
  const problem = { repository: 'acme/old', message: 'acme/old is archived.', is_refused: true };
  assert.deepEqual(notesOf({ unread_count: 3, unread_runs: [unread], problems: [problem] }), [
    'Run 42 of acme/app could not be read: GitHub answered 502',
    '2 more runs could not be read.',
    'acme/old is archived.',
  ]);
  assert.deepEqual(notesOf({ unread_count: 0, unread_runs: [], problems: [] }), []);
});

test('a problem of several repositories is said once', () => {
  const problems = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({
    repository: `acme/${name}`,
    message: `acme/${name} is archived.`,
    is_refused: true,
  }));
  const other = { repository: 'acme/x', message: 'acme/x does not exist.', is_refused: true };
  assert.deepEqual(notesOf({ unread_count: 0, unread_runs: [], problems: [...problems, other] }), [
    'acme/a is archived. Same for acme/b, acme/c, acme/d and 2 more.',
    'acme/x does not exist.',
  ]);
});

test('a source comes first, then credentials, then a backfill', () => {
  const source = { has_credentials: false };
  assert.equal(stepOf([]), 'connect');
  assert.equal(stepOf([source]), 'credentials');
  assert.equal(stepOf([source, { ...source, has_credentials: true }]), 'start');
});

test('what ended without everything can be tried again with its source', () => {
  const ended = { source_id: 'src_1', status: 'done', problems: [], unread_count: 0 } as unknown as Backfill;
  const can = (changed: Partial<Backfill>) => canRepeat({ ...ended, ...changed });
  assert.ok(can({ status: 'failed' }) && can({ status: 'cancelled' }) && can({ unread_count: 2 }));
  assert.ok(!can({}) && !can({ status: 'running' }) && !can({ status: 'failed', source_id: null }));
});

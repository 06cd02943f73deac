import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expiryOf, gapsOf, makerOf } from './storageWords.ts';

test('says who made it only if GitHub does', () => {
  const artifact = { kind: 'artifact', ref: null } as const;
  assert.equal(makerOf({ ...artifact, workflow: 'CI' }), 'CI');
  assert.equal(makerOf({ ...artifact, workflow: null }), 'Run not recorded');
  const cache = { kind: 'cache', workflow: null } as const;
  assert.equal(makerOf({ ...cache, ref: 'refs/pull/*' }), 'pull requests');
  assert.equal(makerOf({ ...cache, ref: 'refs/heads/main' }), 'main');
});

test('says what expires when', () => {
  const item = { kind: 'artifact', count: 2, expiring_gb: 1.5 } as const;
  const [first, last] = ['2026-03-20T12:00:00Z', '2026-06-15T12:00:00Z'];
  assert.equal(
    expiryOf({ ...item, first_expires_at: first, last_expires_at: last }),
    'Expires from Mar 20 to Jun 15. 1.50 GB of it within a week.',
  );
  assert.equal(expiryOf({ ...item, first_expires_at: first, last_expires_at: first }), 'Expires Mar 20.');
  assert.equal(expiryOf({ ...item, first_expires_at: null, last_expires_at: null }), 'They never expire.');
});

test('names what is missing', () => {
  const row = { unknown_artifacts: 2, problems: ['The caches of acme/api could not be read.'] };
  assert.deepEqual(gapsOf([row, { ...row, problems: [] }] as never), [
    '4 artifacts belong to runs that are not recorded. A backfill names their workflows.',
    'The caches of acme/api could not be read.',
  ]);
});

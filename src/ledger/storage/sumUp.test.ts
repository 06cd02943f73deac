import assert from 'node:assert/strict';
import { test } from 'node:test';
import { patternOf, sumUpArtifacts, sumUpCaches, type Artifact } from './sumUp.ts';

const span = { from: new Date('2026-03-01T00:00:00Z'), until: new Date('2026-03-18T12:00:00Z') };
const artifact = (fields: Partial<Artifact>): Artifact => ({
  runId: '1',
  name: 'dist',
  bytes: 1_000n,
  createdAt: new Date('2026-03-17T00:00:00Z'),
  expiresAt: new Date('2026-06-15T00:00:00Z'),
  ...fields,
});

test('names that change with each run are one name', () => {
  const names: [string, string][] = [
    ['coverage', 'coverage'],
    ['node-20', 'node-20'],
    ['report-2026-03-17', 'report-*'],
    ['build-1734', 'build-*'],
    ['Linux-npm-958aff96db2d75d67787d1e634ae70b659de937b', 'Linux-npm-*'],
    ['deadbeef', 'deadbeef'],
    ['facade1', '*'],
  ];
  for (const [name, pattern] of names) assert.equal(patternOf(name), pattern, name);
});

test('a workflow and a name are one item; runs that are not recorded have no workflow', () => {
  const items = sumUpArtifacts(
    [
      artifact({}),
      artifact({ createdAt: new Date('2026-03-01T00:00:00Z'), expiresAt: null }),
      artifact({ runId: '2' }),
      artifact({ runId: null }),
      artifact({ runId: '3', expiresAt: new Date('2026-03-18T12:00:00Z') }),
    ],
    (runId) => ({ '1': 'wf_a', '2': 'wf_b' })[runId],
    span,
  );
  assert.deepEqual(
    items.map(({ workflowId, items: count, staleItems, weekItems, retentionDays }) => [
      workflowId,
      count,
      staleItems,
      weekItems,
      retentionDays,
    ]),
    [
      ['wf_a', 2, 1, 1, 90],
      ['wf_b', 1, 0, 1, 90],
      ['', 1, 0, 1, 90],
    ],
  );
});

test('very many names are one item, and nothing is lost', () => {
  const letters = (index: number) => String(index).replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)]!);
  const many = Array.from({ length: 700 }, (_, index) =>
    artifact({ name: letters(index), bytes: BigInt(1_000 - index) }),
  );
  const items = sumUpArtifacts(many, () => 'wf_a', span);
  assert.equal(items.length, 501);
  assert.deepEqual([items.at(-1)!.name, items.at(-1)!.items], ['*', 200]);
  assert.equal(
    items.reduce((sum, { bytes }) => sum + bytes, 0n),
    many.reduce((sum, { bytes }) => sum + bytes, 0n),
  );
});

test('artifacts named by numbers alone are in the row of all other names', () => {
  const named = Array.from({ length: 501 }, (_, index) =>
    artifact({ name: `n-${'x'.repeat(index)}`, bytes: BigInt(1_000 - index) }),
  );
  const items = sumUpArtifacts([artifact({ name: '123456', bytes: 5_000n }), ...named], () => 'wf_a', span);
  assert.equal(new Set(items.map(({ name }) => name)).size, items.length);
  assert.deepEqual(
    items.filter(({ name }) => name === '*').map(({ items: count, bytes }) => [count, bytes]),
    [[3, 6_001n]],
  );
});

test('caches of all pull requests are one ref; only those that nobody restored are stale', () => {
  const createdAt = new Date('2026-03-17T00:00:00Z');
  const cache = (ref: string, usedAt = createdAt) => ({
    key: 'npm-12345',
    ref,
    bytes: 10n,
    createdAt,
    usedAt,
  });
  const items = sumUpCaches(
    [cache('refs/pull/1/merge'), cache('refs/pull/2/merge'), cache('refs/heads/main', span.until)],
    span,
  );
  assert.deepEqual(
    items.map(({ name, ref, items: count, staleBytes }) => [name, ref, count, staleBytes]),
    [
      ['npm-*', 'refs/pull/*', 2, 20n],
      ['npm-*', 'refs/heads/main', 1, 0n],
    ],
  );
});

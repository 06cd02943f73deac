import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gigabyte } from '../../ledger/storage/byteHours.ts';
import { fixesOf, type Item } from './fixes.ts';
import { priced } from './storage.ts';

const now = new Date('2026-03-18T12:00:00Z');
const item = (fields: Partial<Item>): Item => ({
  orgId: 'o',
  repository: 'acme/app',
  kind: 'artifact',
  workflowId: 'wf_a',
  workflow: 'CI',
  name: 'dist',
  ref: '',
  items: 2,
  bytes: 2n * gigabyte,
  staleBytes: gigabyte,
  staleItems: 1,
  weekItems: 1,
  byteHours: 0n,
  retentionDays: 90,
  firstExpiresAt: null,
  lastExpiresAt: null,
  expiringBytes: 0n,
  ...fields,
});
const cache = (fields: Partial<Item>) =>
  item({
    kind: 'cache',
    workflowId: '',
    workflow: null,
    retentionDays: null,
    ref: 'refs/heads/main',
    ...fields,
  });
const repository = (cacheBytes: bigint) => ({
  orgId: 'o',
  repository: 'acme/app',
  readAt: now,
  unlisted: 0,
  unknownArtifacts: 0,
  caches: 3,
  cacheBytes,
  cacheByteHours: 7n * gigabyte,
  problems: [],
});

test('a name that a shell would run ends up in no command and no lines', () => {
  for (const name of [`x'; rm -rf ~ #`, '$(id)', '`id`', 'a"b', '-rf\n', '*', 'é']) {
    const one = item({ name });
    const fix = fixesOf({ items: [one], repositories: [] }, now).get(one)!;
    assert.equal(fix.command, null, name);
    assert.equal(fix.yaml, '# actions/upload-artifact\nwith:\n  retention-days: 7\n');
  }
  const odd = cache({ ref: `refs/heads/x'$(id)` });
  const fix = fixesOf({ items: [odd], repositories: [repository(20n * gigabyte)] }, now).get(odd)!;
  assert.equal(fix.command, null);
});

test('nothing is to be saved by a short retention, by what is needed, or below 10 GB of caches', () => {
  const items = [
    item({ retentionDays: 7 }),
    item({ staleBytes: 0n }),
    cache({}),
    cache({ ref: 'refs/pull/*' }),
  ];
  assert.equal(fixesOf({ items, repositories: [repository(10n * gigabyte)] }, now).size, 0);
});

test('rows come by what they save; together, caches save no more than they cost', () => {
  const items = [
    cache({ name: 'a-*', bytes: 9n * gigabyte, staleBytes: 9n * gigabyte }),
    cache({ name: 'b-*', bytes: 8n * gigabyte, staleBytes: 8n * gigabyte }),
    item({}),
    item({ name: 'small', bytes: gigabyte, staleBytes: 0n }),
  ];
  const rows = priced({ items, repositories: [repository(20n * gigabyte)] }, now);
  assert.deepEqual(
    rows.map(({ item: { name }, paceNanos, fix }) => [name, paceNanos, fix?.savingNanos ?? 0n]),
    [
      ['a-*', 370_588_235n, 630_000_000n],
      ['dist', 500_000_000n, 250_000_000n],
      ['b-*', 329_411_765n, 70_000_000n],
      ['small', 250_000_000n, 0n],
    ],
  );
  assert.equal(
    rows
      .filter(({ item: { kind } }) => kind === 'cache')
      .reduce((sum, { monthNanos }) => sum + monthNanos, 0n),
    658_602n,
  );
});

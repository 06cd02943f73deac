import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createBatches, type Batch } from './batches.ts';

type Item = { orgId: string; place: number; rows: number };

const arrivals = fc.array(
  fc.record({
    orgId: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    rows: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 6_000 })),
    /** Whether its organization is locked elsewhere when its transaction begins. */
    isLocked: fc.boolean(),
    ticks: fc.nat({ max: 3 }),
  }),
  { minLength: 1, maxLength: 40 },
);

const sharings = fc.constantFrom(
  { transactions: 2, organizations: Infinity },
  { transactions: 3, organizations: 1 },
);

test('transactions are small, few and one at a time for an organization, and record all in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      arrivals,
      fc.array(fc.nat({ max: 5 }), { minLength: 7 }),
      sharings,
      async (sent, durations, sharing) => {
        const recorded: Item[] = [];
        const underWay = new Set<string>();
        let shared = 0;
        let transactions = 0;

        async function transaction(
          batches: readonly Batch<Item>[],
          kind: 'alone' | 'together',
        ): Promise<void> {
          for (const { orgId } of batches) {
            assert.ok(!underWay.has(orgId), 'one transaction of an organization at a time');
            underWay.add(orgId);
          }
          const limit = kind === 'alone' ? 5_000 : 100;
          const maxTicks = durations[transactions++ % durations.length]!;
          for (let tick = 0; tick <= maxTicks; tick++) {
            if (tick === 1) for (const { addQueued } of batches) addQueued(kind);
            await Promise.resolve();
          }
          const items = batches.flatMap((batch) => batch.items);
          const rows = items.reduce((sum, item) => sum + item.rows, 0);
          assert.ok(rows <= limit || items.length === 1, `${rows} rows ${kind}`);
          recorded.push(...items);
          for (const { orgId } of batches) underWay.delete(orgId);
        }

        const add = createBatches<Item>({
          sharing,
          rowsOf: ({ rows }) => rows,
          alone: (batch) => transaction([batch], 'alone'),
          together: async (batches) => {
            shared += 1;
            assert.ok(shared <= sharing.transactions, 'few shared transactions at a time');
            assert.ok(batches.length <= sharing.organizations, `${batches.length} organizations together`);
            const isLocked = (batch: Batch<Item>): boolean => sent[batch.items[0]!.place]!.isLocked;
            await transaction(
              batches.filter((batch) => !isLocked(batch)),
              'together',
            );
            shared -= 1;
            return batches.filter(isLocked);
          },
        });
        for (const [place, { orgId, rows, ticks }] of sent.entries()) {
          add(orgId, { orgId, place, rows });
          for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
        }
        for (let tick = 0; recorded.length < sent.length && tick < 10_000; tick++) await Promise.resolve();
        for (const { orgId } of sent) {
          const places = recorded.filter((item) => item.orgId === orgId).map(({ place }) => place);
          assert.deepEqual(
            places,
            places.toSorted((a, b) => a - b),
          );
        }
        assert.equal(new Set(recorded.map(({ place }) => place)).size, sent.length);
      },
    ),
    { numRuns: 500 },
  );
});

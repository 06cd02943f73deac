import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ColumnName } from './dayColumns.queries.ts';
import { createColumnBuilder, createColumnCache, type Column } from './dayColumns.ts';
import { createGroupIndex, createSums, passingRows, type DayRows } from './sumRows.ts';

const dayOf = fc.record({
  day: fc.integer({ min: 1, max: 6 }),
  rows: fc.array(fc.record({ branch: fc.option(fc.string()), actor: fc.constantFrom('ann', 'bo') }), {
    minLength: 1,
    maxLength: 12,
  }),
});
const questions = fc.array(fc.array(dayOf, { maxLength: 5 }), { minLength: 1, maxLength: 6 });
const dimensions = [[], ['branch'], ['actor', 'branch']] as const;

test('rows are counted by their values, whichever columns and dictionaries are still in memory', () => {
  fc.assert(
    fc.property(questions, fc.integer({ min: 0, max: 2_000 }), (asked, maxBytes) => {
      const cache = createColumnCache(maxBytes);
      for (const days of asked) {
        for (const groupBy of dimensions) {
          const index = createGroupIndex(groupBy);
          const sums = createSums();
          const counts = new Map<string, bigint>();
          for (const { day, rows } of days) {
            const dayRows: DayRows = {
              day: `2026-01-0${day}`,
              rows: rows.length,
              count: null,
              isRemoved: null,
              column: (name) => {
                const key = { property: name, day: `${day} ${JSON.stringify(rows)}` };
                const column = cache.get(key) ?? build(rows.map((row) => row[name as 'branch' | 'actor']));
                cache.set(key, column);
                return column;
              },
            };
            sums.add(index.groupsOf(dayRows, passingRows(dayRows, [])), null);
            for (const row of rows) {
              const key = JSON.stringify(groupBy.map((name: ColumnName & keyof typeof row) => row[name]));
              counts.set(key, (counts.get(key) ?? 0n) + 1n);
            }
          }
          const found = sums.values().map((count, group) => [JSON.stringify(index.valuesOf(group)), count]);
          assert.deepEqual(new Map(found as [string, bigint][]), counts);
        }
      }
    }),
  );
});

function build(values: (string | null)[]): Column {
  const builder = createColumnBuilder();
  values.forEach(builder.add);
  return builder.build();
}

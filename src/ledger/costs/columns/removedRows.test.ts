import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fittingPlaces, placesAmongAll } from './removedRows.ts';

/** The rows of a day in order: removed ones at their positions, stored ones in between. */
function inOrder(removedRows: { row: number; place: number }[], stored: readonly number[]): number[] {
  const rows = removedRows.length + stored.length;
  const day = Array.from({ length: rows }, (): number | undefined => undefined);
  const places = fittingPlaces(
    removedRows.map(({ place }) => place),
    rows,
  );
  for (const [index, { row }] of removedRows.entries()) day[places[index]!] = row;
  const left = [...stored];
  return Array.from(day, (row) => row ?? left.shift()!);
}

const isRemoved = (removedRows: { row: number }[], day: readonly number[]) =>
  Uint8Array.from(day, (row) => Number(removedRows.some((each) => each.row === row)));

test('removed rows stay between the same others, however many are removed at a time', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 3 }), { maxLength: 30 }), (turns) => {
      const rows = [...turns.keys()];
      const removedRows: { row: number; place: number }[] = [];
      for (const turn of [0, 1, 2]) {
        const stored = rows.filter((row) => turns[row]! >= turn);
        const day = inOrder(removedRows, stored);
        assert.deepEqual(day, rows);
        const removed = stored.filter((row) => turns[row] === turn);
        const places = placesAmongAll(
          removed.map((row) => stored.indexOf(row)),
          isRemoved(removedRows, day),
        );
        removedRows.push(...removed.map((row, index) => ({ row, place: places[index]! })));
      }
      assert.deepEqual(
        inOrder(
          removedRows,
          rows.filter((row) => turns[row] === 3),
        ),
        rows,
      );
    }),
  );
});

test('each removed row has a place of its own, also after others of the day were deleted', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.nat({ max: 50 }), { maxLength: 20 }),
      fc.nat({ max: 10 }),
      (places, stored) => {
        const rows = places.length + stored;
        const fitting = fittingPlaces(places, rows);
        assert.equal(new Set(fitting).size, places.length);
        assert.ok(fitting.every((place) => place >= 0 && place < rows));
      },
    ),
  );
});

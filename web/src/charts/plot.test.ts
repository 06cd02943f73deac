import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { barOf, lineThrough, noteAt, plotOf, stacked } from './plot.ts';

const area = { left: 40, top: 8, width: 300, height: 200 };
const starts = ['2026-11-01', '2026-11-02', '2026-11-03'];
const plot = plotOf(area, starts, { ticks: [0, 50, 100], isLog: false });

test('each span has a column of the same width, and a pixel belongs to the column it is in', () => {
  assert.deepEqual(starts.map(plot.middleOf), [90, 190, 290]);
  assert.deepEqual([-5, 40, 139, 141, 340, 999].map(plot.startAt), [
    '2026-11-01',
    '2026-11-01',
    '2026-11-01',
    '2026-11-02',
    '2026-11-03',
    '2026-11-03',
  ]);
});

test('the lowest tick is at the lower end of the area and the highest at its upper end', () => {
  assert.deepEqual([0, 50, 100].map(plot.yOf), [208, 108, 8]);
  const log = plotOf(area, starts, { ticks: [0, 1, 10, 100], isLog: true });
  assert.deepEqual([log.yOf(0), log.yOf(100)], [208, 8]);
  // 1 is as far from 0 as the logarithm of 2 from that of 101.
  assert.ok(Math.abs(208 - log.yOf(1) - (200 * Math.log(2)) / Math.log(101)) < 1e-9);
  const below = plotOf(area, starts, { ticks: [-50, 0, 50], isLog: false });
  assert.equal(below.yOf(0), 108);
});

test('the amount at a height is the one drawn there', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1_000_000 }), fc.boolean(), (amount, isLog) => {
      const { yOf, amountAt } = plotOf(area, starts, { ticks: [0, 1_000_000], isLog });
      assert.ok(Math.abs(amountAt(yOf(amount)) - amount) < 1e-6 * (1 + amount));
    }),
  );
});

test('bars leave a gap, but are not wider than 48 pixels', () => {
  assert.deepEqual([0.5, 10.4, 26, 300].map(barOf), [0.4, 8, 20, 48]);
});

test('parts of a column stand on each other, and a missing part takes no room', () => {
  assert.deepEqual(
    stacked([
      [1, null],
      [2, 3],
      [undefined, 4],
    ]),
    [
      [
        { from: 0, to: 1 },
        { from: 0, to: 0 },
      ],
      [
        { from: 1, to: 3 },
        { from: 0, to: 3 },
      ],
      [
        { from: 3, to: 3 },
        { from: 3, to: 7 },
      ],
    ],
  );
});

test('a line is interrupted where it has no amount', () => {
  assert.equal(lineThrough([0, 50, 100], plot), 'M90.00 208.00L190.00 108.00L290.00 8.00');
  assert.equal(lineThrough([0, null, 100], plot), 'M90.00 208.00M290.00 8.00');
  assert.equal(lineThrough([null, undefined], plot), '');
});

test('a note stands beside its point, on the other side without room, and never outside', () => {
  const note = { width: 100, height: 80 };
  const at = (x: number, y: number, isLeft = false) => noteAt({ x, y, gap: 10, isLeft }, note, area);
  assert.deepEqual(at(90, 50), { x: 100, y: 60 });
  assert.deepEqual(at(190, 50, true), { x: 80, y: 60 });
  assert.deepEqual(at(90, 50, true), { x: 100, y: 60 });
  assert.deepEqual(at(290, 180), { x: 180, y: 90 });
  const wide = noteAt({ x: 190, y: 50, gap: 10, isLeft: false }, { width: 290, height: 80 }, area);
  assert.deepEqual(wide, { x: 40, y: 60 });
  const wider = noteAt({ x: 190, y: 50, gap: 10, isLeft: false }, { width: 320, height: 80 }, area);
  assert.deepEqual(wider, { x: 20, y: 60 });
});

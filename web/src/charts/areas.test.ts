import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areasOf, boxesOf } from './areas.ts';
import type { Tile } from './series.ts';

function tile(name: string, amounts: Record<string, number>): Tile {
  const value = Object.values(amounts).reduce((sum, amount) => sum + amount, 0);
  const children = Object.entries(amounts).map(([leaf, amount]) => ({
    ...{ key: `${name}&${leaf}`, name: leaf, parent: name, slot: 0, value: amount, narrow: leaf },
  }));
  return { key: name, first: name, name, slot: 0, value, children };
}

const rest: Tile = { ...tile('5 others', { '5 others': 2 }), key: '', first: null };
const inDollars = (value: number) => `$${value}`;
const textsOf = (tiles: Tile[], width: number, height: number) =>
  areasOf(tiles, { width, height }, inDollars).map(({ lines }) => lines.map(({ text }) => text).join(' '));

test('every area has its name and amount, and the first of a tile that of the tile', () => {
  const tiles = [tile('api', { CI: 60, Deploy: 30 }), tile('web', { CI: 40 })];
  assert.deepEqual(textsOf(tiles, 600, 300), ['api CI $60', 'Deploy $30', 'web CI $40']);
});

test('what is too small for its words is together: the end of a tile, and tiles', () => {
  const tiles = [
    tile('api', { CI: 600, Deploy: 300, Lint: 8, Labels: 7, Stale: 5 }),
    tile('web', { CI: 400 }),
    ...['docs', 'sdk', 'ops'].map((name) => tile(name, { Test: 6 })),
  ];
  const areas = areasOf([...tiles, rest], { width: 700, height: 300 }, inDollars);
  const words = areas.map(({ lines }) => lines.map(({ text }) => text).join(' '));
  assert.deepEqual(words, ['api CI $600', 'Deploy $300', '', 'web CI $400', '']);
  assert.equal(areas.at(-1)!.leaf.name, 'All others');
  assert.equal(areas.at(-1)!.leaf.value, 20);
  assert.equal(
    areas.reduce((sum, { leaf }) => sum + leaf.value, 0),
    [...tiles, rest].reduce((sum, { value }) => sum + value, 0),
  );
});

test('a tile without room for its parts has its own name, and one without room for that is what is left', () => {
  const tiles = [
    tile('api', { CI: 80 }),
    tile('web', { a: 3, b: 3, c: 3, d: 3 }),
    tile('docs', { a: 1, b: 1 }),
    tile('sdk', { a: 1 }),
  ];
  const words = textsOf(tiles, 300, 200);
  assert.deepEqual(words, ['api CI $80', 'web $12', '+2']);
});

test('boxes fill their place in proportion, without slivers', () => {
  const values = [40, 25, 15, 10, 5, 5].map((value) => ({ value }));
  const boxes = boxesOf(values, { x: 10, y: 20, width: 400, height: 250 });
  for (const [index, { x, y, width, height }] of boxes.entries()) {
    assert.ok(Math.abs(width * height - (values[index]!.value / 100) * 400 * 250) < 1e-6);
    assert.ok(x >= 10 && y >= 20 && x + width <= 410 + 1e-9 && y + height <= 270 + 1e-9);
    assert.ok(Math.max(width / height, height / width) < 4);
  }
});

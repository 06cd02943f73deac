import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areasOf, boxesOf } from './areas.ts';
import type { Tile } from './series.ts';

function tile(name: string, amounts: Record<string, number>, slot: number | null = 0): Tile {
  const value = Object.values(amounts).reduce((sum, amount) => sum + amount, 0);
  const children = Object.entries(amounts).map(([leaf, amount]) => ({
    key: `${name}&${leaf}`,
    name: leaf,
    parent: name,
    slot,
    value: amount,
    narrow: leaf,
  }));
  return { key: name, first: name, name, slot, value, children };
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
    ...['docs', 'sdk', 'ops'].map((name) => tile(name, { Test: 6 }, null)),
  ];
  const areas = areasOf([...tiles, rest], { width: 700, height: 300 }, inDollars);
  const words = areas.map(({ lines }) => lines.map(({ text }) => text).join(' '));
  assert.deepEqual(words, ['api CI $600', 'Deploy $300', '+3', 'web CI $400', '']);
  assert.equal(areas.at(-1)!.leaf.name, 'Others');
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
    tile('docs', { a: 1, b: 1 }, null),
    tile('sdk', { a: 1 }, null),
  ];
  const words = textsOf(tiles, 300, 200);
  assert.deepEqual(words, ['api CI $80', 'web $12', '+2']);
});

test('what is left has words if few are gathered for it, and is not a blank strip beside one area', () => {
  const tiles = [
    tile('api', { CI: 600 }),
    tile('web', { CI: 290, Deploy: 6, Lint: 4 }),
    ...['sdk', 'docs'].map((name, index) => tile(name, { Test: 30 - 25 * index }, null)),
  ];
  assert.deepEqual(textsOf(tiles, 400, 240), ['api CI $600', 'web $300', '2 others $35']);
});

test('each color of the legend has an area at any width, and no part of a tile has a cut name', () => {
  const tiles = [
    tile('mobile', { CI: 800, Release: 60, Installers: 40 }),
    tile('desktop', { CI: 60, Installers: 24 }),
    tile('documentation', { Build: 9 }),
    tile('sdk', { Test: 4 }),
  ];
  for (const width of [320, 500, 800, 1_200]) {
    const areas = areasOf(tiles, { width, height: 240 }, inDollars);
    assert.deepEqual(
      new Set(areas.map(({ tile: { name } }) => name)),
      new Set(tiles.map(({ name }) => name)),
    );
    const cut = areas.filter(({ lines }) => lines.some(({ text }) => text.includes('…')));
    assert.ok(cut.every(({ leaf, tile: { name } }) => leaf.name === name));
  }
});

test('a name is cut only where the legend has it whole', () => {
  const jobs = Array.from({ length: 40 }, (_, index) => `unit (operating-system-${index})`);
  const tiles = [tile('android', { build: 900 }), ...jobs.map((name) => tile(name, { run: 14 }, null))];
  for (const width of [390, 860, 1_200])
    assert.deepEqual(
      areasOf([...tiles, rest], { width, height: 300 }, inDollars)
        .filter(({ tile: { slot }, lines }) => slot === null && lines.some(({ text }) => text.includes('…')))
        .map(({ leaf }) => leaf.name),
      [],
    );
});

test('a part whose name is too long for a slim area lies flat', () => {
  const tiles = [tile('desktop', { CI: 220, Installers: 86 }), tile('web', { CI: 60 })];
  assert.deepEqual(textsOf(tiles, 220, 110), ['desktop CI $220', 'Installers $86', 'web CI $60']);
});

test('tiles that are all too small for words are shown without, and no tiles are no areas', () => {
  const many = Array.from({ length: 200 }, (_, index) => tile(`repository-${index}`, { CI: 1 }));
  const areas = areasOf(many, { width: 400, height: 300 }, String);
  assert.equal(areas.length, 200);
  assert.ok(areas.every(({ lines }) => lines.length === 0));
  assert.deepEqual(areasOf([], { width: 400, height: 300 }, String), []);
});

test('the parts of many tiles are laid out once', () => {
  const parts = (size: number) => ({ a: size, b: size / 2, c: size / 3 });
  const many = Array.from({ length: 100 }, (_, index) => tile(`r${index}`, parts(900 / (index + 3)), null));
  let calls = 0;
  areasOf(many, { width: 1_200, height: 360 }, (value) => `${((calls += 1), value)}`);
  assert.ok(calls < 6_000, `${calls}`);
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

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { orderAfter, sortedBy, type Column } from './columns.ts';
import { csvOf } from './csv.ts';

type Item = { name: string; cost: number | null };

const columns: Column<Item>[] = [
  { title: 'Name', cell: ({ name }) => name, value: ({ name }) => name },
  { title: 'Cost', cell: ({ cost }) => cost, value: ({ cost }) => cost, isNumber: true },
  { title: 'Actions', cell: () => 'Remove' },
];
const items: Item[] = [
  { name: 'job 10', cost: 2 },
  { name: 'job 9', cost: null },
  { name: '=1+1', cost: -3.5 },
];
const names = (rows: Item[]) => rows.map(({ name }) => name);

test('rows are sorted by names with their numbers, or by amounts, with missing ones last', () => {
  const by = (column: string, isDescending: boolean) =>
    names(sortedBy(items, columns, { column, isDescending }));
  assert.deepEqual(by('Name', false), ['=1+1', 'job 9', 'job 10']);
  assert.deepEqual(by('Cost', true), ['job 10', '=1+1', 'job 9']);
  assert.deepEqual(by('Cost', false), ['=1+1', 'job 10', 'job 9']);
  assert.deepEqual(names(sortedBy(items, columns, null)), names(items));
});

test('a first click starts with the largest amount or the first name, a second one turns round', () => {
  const [name, cost] = columns;
  assert.deepEqual(orderAfter(cost!, null), { column: 'Cost', isDescending: true });
  assert.deepEqual(orderAfter(name!, { column: 'Cost', isDescending: true }), {
    column: 'Name',
    isDescending: false,
  });
  assert.deepEqual(orderAfter(cost!, { column: 'Cost', isDescending: true }), {
    column: 'Cost',
    isDescending: false,
  });
});

test('a CSV has the columns with values, exact numbers and no formulas', () => {
  assert.equal(csvOf(items, columns), "Name,Cost\r\njob 10,2\r\njob 9,\r\n'=1+1,-3.5\r\n");
  const split = [{ name: 'x;=1+1;y\n@x', cost: 1 }];
  assert.equal(csvOf(split, columns), `Name,Cost\r\n"x;'=1+1;y\n'@x",1\r\n`);
  // A program that splits at the semicolon may remove the quotes before the formula.
  const quoted = [{ name: 'x;"=1+1', cost: 1 }];
  assert.equal(csvOf(quoted, columns), `Name,Cost\r\n"x;'""=1+1",1\r\n`);
});

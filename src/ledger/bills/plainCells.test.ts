import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseOne, plainCells } from './readLines.ts';

/** A line of the file is never split at a line break. */
const line = fc
  .array(
    fc.oneof(
      fc.constantFrom(',', '"', '""', '","', ' ', '\t', 'a', 'ü', '""",', '" ,'),
      fc.string({ maxLength: 5 }).filter((text) => !/[\n\r\0]/.test(text)),
    ),
    { maxLength: 20 },
  )
  .map((parts) => parts.join(''))
  .filter((text) => text.trim() !== '');

const trimmed = (cells: string[] | null) => cells?.map((cell) => cell.trim());

test('reads plain lines as the library does, and leaves it the others', () => {
  fc.assert(
    fc.property(line, (text) => {
      const cells = plainCells(text);
      if (cells) assert.deepEqual(trimmed(cells), trimmed(parseOne(text)));
    }),
    { numRuns: 2_000 },
  );
});

test('reads what reports have, quoted or not', () => {
  for (const [text, cells] of [
    ['a,b', ['a', 'b']],
    ['"a","b,c",', ['a', 'b,c', '']],
    [',,', ['', '', '']],
    ['""', ['']],
    [' a , "b"', null],
    ['"a""b",c', null],
    ['"a" ,b', null],
    ['"a', null],
    ['a"b', null],
  ] as const)
    assert.deepEqual(plainCells(text), cells, text);
});

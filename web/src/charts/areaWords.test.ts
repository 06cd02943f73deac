import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesIn } from './areaWords.ts';

test('an area has whole words or none, and its name before the rest', () => {
  const texts = (name: string, width: number, height: number) =>
    linesIn({ name, parent: 'Web', amount: '$12.40' }, { width, height }).map(({ text }) => text);
  assert.deepEqual(texts('App release', 120, 60), ['Web', 'App release', '$12.40']);
  assert.deepEqual(texts('App release', 120, 40), ['App release', '$12.40']);
  assert.deepEqual(texts('App release', 120, 24), ['App release']);
  assert.deepEqual(texts('App release', 70, 40), ['App', 'release']);
  assert.deepEqual(texts('App release', 70, 24), []);
  assert.deepEqual(texts('App release', 40, 90), []);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutLineIn, linesIn, shortLineIn } from './areaWords.ts';

test('an area says what it is in, its name and its amount, or nothing', () => {
  const texts = (name: string, width: number, height: number, parent: string | null = null) =>
    linesIn({ name, parent, amount: '$12.40' }, { width, height }).map(({ text }) => text);
  assert.deepEqual(texts('App release', 120, 60, 'Web'), ['Web', 'App release', '$12.40']);
  assert.deepEqual(texts('App release', 120, 40, 'Web'), []);
  assert.deepEqual(texts('App release', 120, 40), ['App release', '$12.40']);
  assert.deepEqual(texts('App release', 160, 24), ['App release $12.40']);
  assert.deepEqual(texts('App release', 120, 24), []);
  assert.deepEqual(texts('App release', 70, 60), ['App', 'release', '$12.40']);
  assert.deepEqual(texts('App release', 70, 40), []);
  assert.deepEqual(texts('App release', 40, 90), []);
  assert.deepEqual(texts('App release', 52, 40), []);
  assert.deepEqual(texts('nightly-regression', 100, 60), ['nightly-', 'regression', '$12.40']);
});

test('what is left at the end has a short line, and only the one name of a color is cut', () => {
  assert.deepEqual(shortLineIn('12 others', { width: 40, height: 20 }), [{ text: '+12', weight: 500 }]);
  assert.deepEqual(shortLineIn('Release', { width: 64, height: 20 }), [{ text: 'Release', weight: 500 }]);
  assert.deepEqual(shortLineIn('Release', { width: 58, height: 20 }), []);
  assert.deepEqual(cutLineIn('Release', { width: 58, height: 20 }), [{ text: 'Relea…', weight: 500 }]);
  assert.deepEqual(shortLineIn('12 others', { width: 20, height: 90 }), []);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dimensionTitle } from './words.ts';

test('a dimension that the address made up keeps its name', () => {
  assert.deepEqual(['actor', 'zzz', '__proto__', 'constructor'].map(dimensionTitle), [
    'Triggered by',
    'zzz',
    '__proto__',
    'constructor',
  ]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { repositoriesIn, repositoriesText, shareText } from './words.ts';

test('repositories are read from what people paste', () => {
  assert.deepEqual(repositoriesIn(' acme/app, acme/site\nhttps://github.com/acme/api.git\n'), [
    'acme/app',
    'acme/site',
    'acme/api',
  ]);
  assert.deepEqual(repositoriesIn(' \n'), []);
});

test('a share is whole only where nothing was missing', () => {
  assert.deepEqual([1, 0.99999, 0.5, 0].map(shareText), ['100 %', '99.9 %', '50.0 %', '0.0 %']);
});

test('many repositories are named by the first', () => {
  assert.equal(repositoriesText(['acme/app']), 'acme/app');
  assert.equal(repositoriesText(['acme/app', 'acme/b', 'acme/c']), 'acme/app and 2 more');
});

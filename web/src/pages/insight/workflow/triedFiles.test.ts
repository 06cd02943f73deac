import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathOf, withText } from './triedFiles.ts';

const [first, second] = [
  { path: '.github/workflows/a.yml', content: 'on: push\n' },
  { path: '.github/workflows/b.yml', content: 'on: push\n' },
];

test('a pasted file gets the path of its provider', () => {
  assert.equal(pathOf('name: x\n"on": push\n'), '.github/workflows/pasted.yml');
  assert.equal(pathOf('test:\n  script: make\n'), '.gitlab-ci.yml');
});

test('a text replaces one file, or joins the others', () => {
  const changed = { ...first, content: 'on: pull_request\n' };
  assert.deepEqual(withText([first, second], changed), [changed, second]);
  assert.deepEqual(withText([second], changed), [second, changed]);
});

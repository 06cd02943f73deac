import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ofCategory } from './ofCategory.ts';
import type { WastefulWorkflow } from './queries.ts';

/** A workflow with so much cost of failed jobs, and so many of them. */
function workflowOf(name: string, cost: number, jobs: number): WastefulWorkflow {
  return {
    name,
    categories: [
      { category: 'rounding', cost: 99, jobs: 99 },
      { category: 'failed', cost, jobs },
    ],
  } as WastefulWorkflow;
}

test('the workflows of a category are those with jobs in it, the dearest in it first', () => {
  const all = [workflowOf('a', 1, 5), workflowOf('b', 0, 0), workflowOf('c', 0, 2), workflowOf('d', 3, 1)];
  assert.deepEqual(
    ofCategory(all, 'failed').map(({ name }) => name),
    ['d', 'a', 'c'],
  );
  assert.deepEqual(ofCategory(all, 'superseded'), []);
});

test('of equal cost, more jobs come first', () => {
  const all = [workflowOf('few', 0, 1), workflowOf('many', 0, 4)];
  assert.deepEqual(
    ofCategory(all, 'failed').map(({ name }) => name),
    ['many', 'few'],
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { roleWords, scopeGroups, scopeWords } from './words.ts';

test('every role and every scope has a description', () => {
  assert.deepEqual(Object.keys(roleWords), ['viewer', 'member', 'admin', 'owner']);
  assert.deepEqual(Object.keys(scopeWords).toSorted(), [
    'admin',
    'alerts:read',
    'alerts:write',
    'annotations:write',
    'costs:read',
    'exports:write',
    'runs:write',
    'shares:write',
    'views:write',
    'waste:write',
    'webhooks:read',
    'webhooks:write',
  ]);
});

test('a new token is offered each scope once', () => {
  const offered = scopeGroups.flatMap(({ scopes }) => scopes);
  assert.deepEqual(offered.toSorted(), Object.keys(scopeWords).toSorted());
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actorInWords, roleWords, scopeGroups, scopeWords } from './words.ts';

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

const names = new Map([
  ['mem_1', 'Ana'],
  ['tok_1', 'Grafana'],
]);

test('an actor is a person or a token, and the way it came', () => {
  assert.deepEqual(actorInWords('session of ana@acme.example', names), {
    who: 'ana@acme.example',
    via: 'in a browser',
  });
  assert.deepEqual(actorInWords('token tok_1', names), { who: 'Token “Grafana”', via: '' });
  assert.deepEqual(actorInWords('token tok_1', names, new Map([['tok_1', 'Ana']])), {
    who: 'Ana',
    via: 'by the token “Grafana”',
  });
  assert.deepEqual(actorInWords('cli', names), { who: 'Command line', via: 'on the server' });
  assert.deepEqual(actorInWords('ana@acme.example', names), { who: 'ana@acme.example', via: '' });
  assert.deepEqual(actorInWords('nightly check', names), { who: 'Nightly check', via: '' });
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actorInWords } from './actors.ts';

const names = new Map([['tok_1', 'Grafana']]);

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

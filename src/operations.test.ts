import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { operationsText } from '../scripts/operations.ts';

test('what the command line and the client know of each verb is what the verb says', () => {
  const stored = readFileSync(new URL('operations.json', import.meta.url), 'utf8');
  assert.equal(stored, operationsText(), 'npm run api-types writes it');
});

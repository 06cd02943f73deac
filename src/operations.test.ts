import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { clientVerbsText } from '../scripts/clientVerbs.ts';
import { operationsText } from '../scripts/operations.ts';

test('what the command line and the client know of each verb is what the verb says', () => {
  const stored = (name: string) => readFileSync(new URL(name, import.meta.url), 'utf8');
  assert.equal(stored('operations.json'), operationsText(), 'npm run api-types writes it');
  assert.equal(stored('clientVerbs.ts'), clientVerbsText(), 'npm run api-types writes it');
});

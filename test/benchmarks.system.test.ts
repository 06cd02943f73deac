import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { nodeFlags } from './harness/child.ts';

const file = join(import.meta.dirname, '../bench/run.ts');

test('every benchmark runs', async () => {
  const child = spawn(process.execPath, [...nodeFlags, file, 'all', '--quick'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errors, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  assert.equal(code, 0, output + errors);
});

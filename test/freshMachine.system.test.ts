import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { nodeFlags } from './harness/child.ts';
import { findProgram, needs } from './server/installed.ts';

const file = join(import.meta.dirname, '../scripts/freshMachine.ts');
const debootstrap = process.getuid?.() === 0 && findProgram('debootstrap');

test(
  'both commands work on a bare Debian with Node 18',
  needs(debootstrap, 'debootstrap for root', 'debootstrap'),
  async () => {
    const args = [...nodeFlags, file, '--node', '18', 'web/journeys'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const [output, errors, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    assert.equal(code, 0, output + errors);
  },
);

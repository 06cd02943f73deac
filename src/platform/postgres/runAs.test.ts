import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { chooseUser, type RunAs } from './runAs.ts';

const folder = mkdtempSync(join(tmpdir(), 'runcost-run-as-'));
after(() => rmSync(folder, { recursive: true }));

function userOf({ prefix: [program, ...args] }: RunAs, what: string): string {
  return execFileSync(program!, [...args, 'id', what], { encoding: 'utf8' }).trim();
}

test('PostgreSQL never runs as root, also in a folder whose owner has no name', async () => {
  const chosen = await chooseUser(folder);
  if (process.getuid?.() !== 0) return assert.deepEqual(chosen, { prefix: [], owner: null, note: null });
  assert.notEqual(userOf(chosen, '-u'), '0');
  chownSync(folder, 54_321, 54_321);
  const strange = await chooseUser(folder);
  assert.equal(userOf(strange, '-un'), 'nobody');
  assert.match(strange.note ?? '', /user 54321, has no name on this system: PostgreSQL runs as nobody/);
});

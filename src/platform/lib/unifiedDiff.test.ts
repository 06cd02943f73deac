import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { unifiedDiff } from './unifiedDiff.ts';

const folder = mkdtempSync(join(tmpdir(), 'runcost-diff-'));
after(() => rmSync(folder, { recursive: true }));

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}\n`);

test('hunks have three lines around them, and join where these meet', () => {
  const before = numbered(30);
  const now = before.with(1, 'two\n').with(8, 'nine\n').with(25, 'twenty-six\n');
  assert.equal(
    unifiedDiff('a b.txt', before.join(''), now.join('')),
    [
      'diff --git a/a b.txt b/a b.txt\n--- a/a b.txt\t\n+++ b/a b.txt\t\n',
      '@@ -1,12 +1,12 @@\n 1\n-2\n+two\n 3\n 4\n 5\n 6\n 7\n 8\n-9\n+nine\n 10\n 11\n 12\n',
      '@@ -23,7 +23,7 @@\n 23\n 24\n 25\n-26\n+twenty-six\n 27\n 28\n 29\n',
    ].join(''),
  );
  assert.equal(unifiedDiff('a', 'x\n', 'x\n'), '');
  assert.match(unifiedDiff('a', 'x', 'x\ny'), /-x\n\\ No newline at end of file\n\+x\n\+y\n\\ No newline/);
});

test('git makes the new text of any two texts', () => {
  const text = fc.array(fc.constantFrom('a\n', 'b\n', 'c\r\n', '\n'), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(text, text, fc.boolean(), (lines, others, isEnded) => {
      const [before, now] = [lines.join(''), others.join('') + (isEnded ? '' : 'z')];
      const file = join(folder, 'a b.txt');
      writeFileSync(file, before);
      const input = unifiedDiff('a b.txt', before, now);
      if (input !== '') execFileSync('git', ['apply', '--whitespace=nowarn', '-'], { cwd: folder, input });
      assert.equal(readFileSync(file, 'utf8'), now);
    }),
    { numRuns: 40 },
  );
});

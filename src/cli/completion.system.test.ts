import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { answers, scriptFor } from '../../test/harness/completions.ts';
import { findProgram, needs } from '../../test/server/installed.ts';

const folder = mkdtempSync(join(tmpdir(), 'runcost-completion-'));
after(() => rmSync(folder, { recursive: true }));

/** From a file, because the script is longer than an argument may be. */
function run(shell: string, args: string[], script: string): string {
  const file = join(folder, shell);
  writeFileSync(file, script);
  return execFileSync(shell, [...args, file], { encoding: 'utf8' });
}

test(
  'fish completes commands, options, values and files',
  needs(findProgram('fish'), 'fish', 'fish'),
  async () => {
    const script = await scriptFor('fish');
    const ask = answers.map(([line]) => `echo ----; complete -C '${line}'`).join('\n');
    const output = run('fish', ['--no-config'], `${script}${ask}`);
    const found = output.split('----\n').slice(1);
    for (const [index, [line, words]] of answers.entries()) {
      const names = found[index]!.split('\n').map((row) => row.split('\t')[0]!);
      assert.deepEqual(names.filter(Boolean).toSorted(), words.toSorted(), line);
    }
  },
);

test(
  'zsh completes commands, options, values and files',
  needs(findProgram('zsh'), 'zsh', 'zsh'),
  async () => {
    const script = await scriptFor('zsh');
    // Replaces the zsh functions that show words to the person who types.
    const shown = `
      compdef() { :; }
      offer() { for name in "$@"; do [[ $name == "\${words[CURRENT]}"* ]] && print -r -- "$name"; done }
      compadd() { shift; offer "$@"; }
      _files() { offer /etc/; }
      _describe() { offer "\${\${(@P)2}[@]%%:*}"; }\n`;
    const ask = answers.map(
      ([line]) => `echo ----; words=(${line.replace(/ $/, " ''")}); CURRENT=$#words; _runcost\n`,
    );
    const output = run('zsh', ['-f'], `${shown}${script}${ask.join('')}`);
    const found = output.split('----\n').slice(1);
    for (const [index, [line, words]] of answers.entries())
      assert.deepEqual(found[index]!.trim().split('\n').filter(Boolean), words, line);
  },
);

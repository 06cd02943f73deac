/** The scripts of `runcost completion`, run in the shells. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import type { Command } from 'commander';
import { answers, scriptFor } from '../../test/harness/completions.ts';
import { parts } from '../operator/parts.ts';
import { buildWholeCli } from './program.ts';

test('bash completes every command and option, values and files', async () => {
  const script = await scriptFor('bash');
  // A file name is completed by bash itself, which does so only while somebody types.
  const complete = (lines: string[]): string[][] => {
    const print = `
      compopt() { COMPREPLY=($(compgen -f -S / -- "$word")); }
      while IFS=' ' read -r -a COMP_WORDS; do
        COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
        [[ \${COMP_WORDS[COMP_CWORD]} == _ ]] && COMP_WORDS[COMP_CWORD]=
        _runcost; echo "\${COMPREPLY[*]}"
      done`;
    const input = lines.map((line) => line.replace(/ $/, ' _')).join('\n');
    const output = execFileSync('bash', ['--norc', '-c', script + print], {
      input: `${input}\n`,
      encoding: 'utf8',
    });
    return output
      .trimEnd()
      .split('\n')
      .map((words) => words.split(' ').filter((word) => word !== '' && word !== '--help'));
  };
  const found = complete(answers.map(([line]) => line));
  for (const [index, [line, words]] of answers.entries()) {
    assert.deepEqual(
      found[index]!.filter((word) => line.includes('--') || !word.startsWith('--')),
      words,
      line,
    );
  }
  const levelsOf = (command: Command, line: string): [string, Command][] => [
    [line, command],
    ...command.commands.flatMap((each) => levelsOf(each, `${line}${each.name()} `)),
  ];
  const levels = levelsOf(await buildWholeCli(parts), 'runcost ');
  assert.ok(levels.length > 80);
  const offered = complete(levels.map(([line]) => line));
  for (const [index, [line, { commands, options, registeredArguments }]] of levels.entries()) {
    const values = registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
    const words = [...commands.map((each) => each.name()), ...values, ...options.map(({ long }) => long!)];
    if (words.length > 0) assert.deepEqual(offered[index], words, line);
  }
});

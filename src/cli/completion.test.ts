/** The scripts of `runcost completion`, run in the shells. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import type { Command } from 'commander';
import { runCommand } from '../../test/harness/program.ts';
import { buildCli } from './program.ts';

/** Typed lines, and the words that may follow the last space. */
const answers: [line: string, words: string[]][] = [
  ['runcost pri', ['price']],
  ['runcost price rule ', ['list', 'add', 'delete']],
  ['runcost price rule add --gr', ['--group']],
  ['runcost token create --role ', ['viewer', 'member', 'admin', 'owner']],
  ['runcost serve --role ', ['api', 'worker', 'all']],
  ['runcost token create --name ', []],
  ['runcost token create --name price --ro', ['--role']],
  ['runcost export --output /et', ['/etc/']],
  ['runcost completion ', ['bash', 'zsh', 'fish']],
];

async function scriptFor(shell: string): Promise<string> {
  const { code, stdout, stderr } = await runCommand(['completion', shell], {});
  assert.deepEqual([code, stderr], [0, '']);
  return stdout;
}

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
  const levels = levelsOf(buildCli(), 'runcost ');
  assert.ok(levels.length > 80);
  const offered = complete(levels.map(([line]) => line));
  for (const [index, [line, { commands, options, registeredArguments }]] of levels.entries()) {
    const values = registeredArguments.flatMap(({ argChoices = [] }) => argChoices);
    const words = [...commands.map((each) => each.name()), ...values, ...options.map(({ long }) => long!)];
    if (words.length > 0) assert.deepEqual(offered[index], words, line);
  }
});

const has = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;
const isRequired = process.env.TEST_SERVER === 'required';

if (has('fish') || isRequired) {
  test('fish completes commands, options, values and files', async () => {
    const script = await scriptFor('fish');
    const ask = answers.map(([line]) => `echo ----; complete -C '${line}'`).join('\n');
    const output = execFileSync('fish', ['--no-config', '-c', `${script}${ask}`], { encoding: 'utf8' });
    const found = output.split('----\n').slice(1);
    for (const [index, [line, words]] of answers.entries()) {
      const names = found[index]!.split('\n').map((row) => row.split('\t')[0]!);
      assert.deepEqual(names.filter(Boolean).toSorted(), words.toSorted(), line);
    }
  });
}

if (has('zsh') || isRequired) {
  test('zsh completes commands, options, values and files', async () => {
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
    const output = execFileSync('zsh', ['-f', '-c', `${shown}${script}${ask.join('')}`], {
      encoding: 'utf8',
    });
    const found = output.split('----\n').slice(1);
    for (const [index, [line, words]] of answers.entries())
      assert.deepEqual(found[index]!.trim().split('\n').filter(Boolean), words, line);
  });
}

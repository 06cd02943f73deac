import type { Command } from 'commander';
import { collect, filtered, filtersOf, readValues } from './filters.ts';
import { printNote } from './output.ts';
import type { Answer, Input } from './session.ts';
import type { Options, TailoredGroup } from './verbCommand.ts';

const scopeNames = filtersOf('annotation list');

const addScope = (command: Command): Command =>
  command.option(
    '--scope <name=value>',
    'what it is about, such as repository=acme/api; repeatable; none for the whole organization',
    collect,
  );

function readScope(input: Input, { scope }: Options): Input {
  const texts = scope as string[] | undefined;
  if (texts === undefined) return input;
  if (texts[0] === 'none') return { ...input, scope: null };
  return { ...input, scope: readValues('--scope', texts, scopeNames) };
}

const called = {
  text: '<text>',
  ...Object.fromEntries(scopeNames.map((name) => [`scope.${name}`, `--scope ${name}`])),
};

function printWritten({ id, warnings }: Answer): void {
  console.log(id);
  if (warnings.length > 0) printNote(`The note is saved. ${warnings.join(' ')}`);
}

export const annotationCommands: TailoredGroup = {
  'annotation list': {
    ...filtered('annotation list', 'leave out notes on other values'),
    empty: 'No annotations on these days.',
  },
  'annotation add': {
    title: 'add a note on a day or several',
    called,
    without: ['text', 'scope'],
    more: (command) => addScope(command.argument('<text>', 'at most 500 characters')),
    read: (input, options) => readScope({ ...input, text: options['text'] }, options),
    print: printWritten,
    help: `
Example:
  runcost annotation add 'Moved the nightly tests to larger runners' --start 2026-03-17 --scope repository=acme/api`,
  },
  'annotation update': {
    called: { ...called, text: '--text' },
    without: ['scope'],
    more: addScope,
    read: readScope,
    print: printWritten,
  },
};

import type { Command } from 'commander';
import type { Field } from '../operations.ts';

const maxOptions = 4;

/** A line that works as it is: the command's words, its arguments, and options of the verb's own example. */
export function exampleOf(
  command: Command,
  fields: readonly Field[],
  optionOf: (field: Field) => string,
): string {
  const given = fields.filter(({ example }) => example !== undefined);
  const isArgument = ({ in: place }: Field): boolean => place === 'params';
  const options = given
    .filter((field) => !isArgument(field))
    .toSorted((one, other) => Number(other.isRequired ?? false) - Number(one.isRequired ?? false))
    .map((field, index) => ({ field, isShown: field.isRequired || index < maxOptions }))
    .filter(({ isShown }) => isShown);
  return [
    ...pathOf(command),
    ...given.filter(isArgument).map(({ example }) => quoted(example)),
    ...options.flatMap(({ field }) => optionTexts(optionOf(field), field)),
  ].join(' ');
}

function optionTexts(name: string, { type, example }: Field): string[] {
  if (type === 'boolean') return [example ? name : name.replace('--', '--no-')];
  const values = type === 'json' ? [example] : [example].flat();
  return values.map((value) => `${name} ${quoted(value)}`);
}

/** As a shell takes it. */
function quoted(value: unknown): string {
  const text = value === null ? 'none' : typeof value === 'string' ? value : JSON.stringify(value);
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function pathOf(command: Command): string[] {
  return command.parent ? [...pathOf(command.parent), command.name()] : [command.name()];
}

export function addExample(command: Command, line = pathOf(command).join(' ')): void {
  command.addHelpText('after', `\nExample:\n  ${line}`);
}

/** The examples in the help of a command. */
export function examplesIn(command: Command): string[] {
  let help = '';
  const output = { ...command.configureOutput() };
  command.configureOutput({ writeOut: (text) => void (help += text) }).outputHelp();
  command.configureOutput(output);
  const [, lines = ''] = /^Examples?:\n((?: {2}.*\n?)+)/m.exec(help) ?? [];
  return lines.split('\n').flatMap((line) => line.trim() || []);
}

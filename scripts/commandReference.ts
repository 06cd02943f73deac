/** The reference of the command line, from the program's own commands. `npm run api-types` writes it. */
import type { Argument, Command, Option } from 'commander';
import { examplesIn } from '../src/cli/examples.ts';
import { buildWholeCli } from '../src/cli/program.ts';
import { parts } from '../src/operator/parts.ts';

export const referencePage = 'docs/reference/command-line.md';
const marker = '<!-- The rest is written by `npm run api-types`. -->';

/** Explained once, before the marker. */
const common = ['--org', '--url', '--context', '--json', '--csv', '--web'];

/** The page with its first part as it is. */
export async function commandReference(written: string): Promise<string> {
  const [first] = written.split(marker);
  return `${first}${marker}\n\n${sectionsOf(await buildWholeCli(parts)).join('\n\n')}\n`;
}

function sectionsOf(program: Command): string[] {
  return program.commands
    .toSorted((one, other) => one.name().localeCompare(other.name()))
    .flatMap((command) => [`## ${command.name()}`, ...textsOf(command, command.name())]);
}

/** A command's own text, and then those of the commands below it. */
function textsOf(command: Command, words: string): string[] {
  const below = command.commands.flatMap((each) => {
    const path = `${words} ${each.name()}`;
    return each.commands.length > 0 && !isRun(each)
      ? textsOf(each, path)
      : [`### ${path}`, ...textsOf(each, path)];
  });
  return [...(isRun(command) ? ownText(command, words) : groupText(command)), ...below];
}

/** A group has no options, and a command without options has no commands below it. */
const isRun = ({ commands, options }: Command): boolean => commands.length === 0 || options.length > 0;

function groupText(command: Command): string[] {
  return command.parent?.parent ? [] : [`${capital(command.description())}.`];
}

function ownText(command: Command, words: string): string[] {
  const usage = [`runcost ${words}`, ...command.registeredArguments.map(argumentText)].join(' ');
  const rows = [
    ...command.registeredArguments.map((argument) => [
      argument.name(),
      argument.description,
      needed(argument.required),
    ]),
    ...command.options.filter(isListed).map((option) => [option.flags, meaningOf(option), defaultOf(option)]),
  ];
  const also = common.filter((name) => command.options.some(({ long }) => long === name) && !isTarget(name));
  return [
    `\`${usage}\`: ${command.description()}.${also.length > 0 ? ` Also ${also.map((name) => `\`${name}\``).join(', ')}.` : ''}`,
    ...(rows.length > 0 ? [tableOf(rows)] : []),
    `\`\`\`sh\n${examplesIn(command).join('\n')}\n\`\`\``,
  ];
}

const isTarget = (name: string): boolean => ['--org', '--url', '--context'].includes(name);

/** A webhook has a `--url` of its own. */
function isListed({ long, flags, hidden }: Option): boolean {
  return !hidden && (!common.includes(long!) || (long === '--url' && flags !== '--url <address>'));
}

function argumentText(argument: Argument): string {
  const text = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${text}>` : `[${text}]`;
}

function meaningOf({ description, argChoices }: Option): string {
  const choices = argChoices?.map((choice) => `\`${choice}\``).join(', ');
  return [description, choices].filter(Boolean).join(': ');
}

function defaultOf({ mandatory, defaultValue, defaultValueDescription }: Option): string {
  if (mandatory && defaultValue === undefined) return needed(true);
  const isEmpty = defaultValue === undefined || defaultValue === false || [defaultValue].flat().length === 0;
  return isEmpty ? '' : `\`${defaultValueDescription ?? String(defaultValue)}\``;
}

const needed = (isRequired: boolean): string => (isRequired ? 'required' : '');

function tableOf(rows: string[][]): string {
  const line = (cells: string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  const named = rows.map(([name, ...cells]) => line([`\`${name}\``, ...cells]));
  return [line(['Option', 'Meaning', 'Default']), '| --- | --- | --- |', ...named].join('\n');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

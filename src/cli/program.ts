import type { EventEmitter } from 'node:events';
import { Command } from 'commander';
import { settings } from '../config.ts';
import { operationOf, operations } from '../operations.ts';
import { version } from '../platform/lib/commandLine.ts';
import { nearestOf } from '../platform/lib/text.ts';
import { addExample } from './examples.ts';
import { errorPrefix } from './output.ts';
import { withoutCommand, type Part } from './parts.ts';
import { addVerbCommand } from './verbCommand.ts';

/** Runs the command of the words that follow `runcost`. */
export async function runCli(words: readonly string[], parts: readonly Part[]): Promise<void> {
  const first = words.find((word) => word !== 'help' && !word.startsWith('-'));
  const isHelp = words.some((word) => ['help', '-h', '--help', '-V', '--version'].includes(word));
  const program = await buildCli(parts, first ?? (isHelp ? null : 'serve'));
  const asked = withHelpOption(program, words);
  refuseUnknown(program, asked);
  await program.parseAsync(asked, { from: 'user' });
}

/** The program with one command, or those of its group; the others have only their names. */
async function buildCli(parts: readonly Part[], asked: string | null): Promise<Command> {
  const program = newProgram();
  const known = [...parts, ...untailored(parts)];
  // An unknown word may belong to any command: all are needed to suggest one.
  const isUnknown = asked !== null && !known.some((part) => asked in part.words);
  for (const part of known) {
    if (isUnknown || (asked !== null && asked in part.words))
      await addPart(program, part, () => buildWholeCli(parts));
    else for (const [word, text] of Object.entries(part.words)) program.command(word).description(text);
  }
  return finished(program);
}

/** The program with all commands, for completion and the reference. */
export async function buildWholeCli(parts: readonly Part[]): Promise<Command> {
  const program = newProgram();
  for (const part of [...parts, ...untailored(parts)])
    await addPart(program, part, () => buildWholeCli(parts));
  return finished(program);
}

function finished(program: Command): Command {
  for (const command of [program, ...groupsBelow(program)]) {
    command.helpCommand(false);
    if (command.description() === '')
      command.description(command.commands.map((each) => each.name()).join(', '));
  }
  for (const command of program.commands) command.showHelpAfterError(helpHint);
  for (const command of runnableBelow(program)) if (!hasOwnHelp(command)) addExample(command);
  return program;
}

async function addPart(
  program: Command,
  { words, nouns = Object.keys(words), tailored, add }: Part,
  whole: () => Promise<Command>,
): Promise<void> {
  if (add) {
    const addTo = await add();
    await addTo(program, whole);
  }
  const own = (await tailored?.()) ?? {};
  const wordsOf = (verb: string): string => own[verb]?.words ?? verb;
  const done = Object.values(own).flatMap(({ also = [] }) => also);
  const isTailored = tailored !== undefined || !add;
  const ofVerbs = operations
    .filter(({ name }) => isTailored && nouns.includes(firstWord(name)))
    .filter(({ name }) => !done.includes(name) && !withoutCommand[name])
    .map((operation) => ({ operation, key: operation.name }));
  const second = Object.entries(own).flatMap(([key, { verb }]) =>
    verb === undefined ? [] : [{ operation: operationOf(verb), key }],
  );
  const added = [...ofVerbs, ...second]
    .map(({ operation, key }) => ({
      operation,
      tailored: own[key] ?? {},
      path: (own[key]?.words ?? key).split(' '),
    }))
    // A command comes before those below it, such as `costs` before `costs change`.
    .toSorted((one, other) => one.path.length - other.path.length);
  for (const { operation, path, tailored: each } of added)
    addVerbCommand(groupFor(program, path), path.at(-1)!, operation, { tailored: each, wordsOf });
  for (const command of program.commands)
    if (command.name() in words) command.description(words[command.name()]!);
}

const firstWord = (text: string): string => text.split(' ', 1)[0]!;

function groupFor(program: Command, path: readonly string[]): Command {
  let group = program;
  for (const word of path.slice(0, -1)) {
    const below = group.commands.find((command) => command.name() === word);
    group = below ?? group.command(word);
  }
  return group;
}

/** Parts for the verbs that no part names: their commands come from the verbs alone. */
function untailored(parts: readonly Part[]): Part[] {
  const known = parts.flatMap(({ words, nouns = Object.keys(words) }) => nouns);
  const named = operations.filter(({ name }) => !withoutCommand[name]);
  const nouns = [...new Set(named.map(({ name }) => firstWord(name)))];
  return nouns
    .filter((noun) => !known.includes(noun))
    .map((noun) => ({ words: { [noun]: leavesOf(noun) }, nouns: [noun] }));
}

/** `list, get, create` */
function leavesOf(noun: string): string {
  const names = operations.map(({ name }) => name.split(' ')).filter(([first]) => first === noun);
  return [...new Set(names.map((words) => words.slice(1).join(' ')))].join(', ');
}

function groupsBelow({ commands }: Command): Command[] {
  return commands.flatMap((command) =>
    command.commands.length > 0 ? [command, ...groupsBelow(command)] : [],
  );
}

/** Commander's types leave out that it emits events. */
function hasOwnHelp(command: Command): boolean {
  return (command as unknown as EventEmitter).listenerCount('afterHelp') > 0;
}

/** Those that do something themselves, which a group has no options for. */
export function runnableBelow({ commands }: Command): Command[] {
  return commands.flatMap((command) => [
    ...(command.commands.length === 0 || command.options.length > 0 ? [command] : []),
    ...runnableBelow(command),
  ]);
}

const helpHint = '(see --help)';

function newProgram(): Command {
  return (
    new Command('runcost')
      .description('Know what CI/CD costs, to the last job, before the bill arrives.')
      .addHelpText('after', settingsHelp())
      .showHelpAfterError(helpHint)
      .helpCommand(false)
      // Gives `costs change` the options after it, although `costs` has some options of the same name.
      .enablePositionalOptions()
      .exitOverride()
      .version(version, '-V, --version', 'print the version')
      .configureOutput({ outputError: (text, write) => write(text.replace(/^error:/, errorPrefix())) })
  );
}

/** `help` works as a word before and after others: `help price rule`, `price help`. So does `version`. */
function withHelpOption(program: Command, words: readonly string[]): string[] {
  const [first, ...others] = words;
  if (first === 'version' && others.length === 0) return ['--version'];
  const place = words.indexOf('help');
  const rest = words.filter((_, index) => index !== place);
  const shown = commandAt(program, words.slice(0, place));
  // A list of arguments may contain the word, because a file can be called so.
  const takesWord = shown.registeredArguments.some(({ variadic }) => variadic);
  const isWord =
    place === 0 || (place > 0 && !takesWord && (shown.commands.length > 0 || place === words.length - 1));
  return isWord ? [...rest, '--help'] : [...words];
}

/** The last command that the words name. */
function commandAt(program: Command, words: readonly string[]): Command {
  let command = program;
  for (const word of words) command = command.commands.find((each) => each.name() === word) ?? command;
  return command;
}

/** Commander would pass an unknown word to `serve`, the default command. */
function refuseUnknown(program: Command, asked: readonly string[]): void {
  let group = program;
  for (const word of asked.filter((each) => !['--help', '-h'].includes(each))) {
    const isGroup = group.commands.length > 0 && (group === program || group.options.length === 0);
    if (!isGroup || word.startsWith('-')) return;
    const next = group.commands.find((command) => command.name() === word);
    if (!next) return refuse(group, word);
    group = next;
  }
}

function refuse(group: Command, word: string): void {
  const names = group.commands.map((command) => command.name());
  const owners = group.commands.filter((command) => command.commands.some((sub) => sub.name() === word));
  const nearest = nearestOf(word, names);
  const meant =
    owners.length > 0 ? owners.map((owner) => `${owner.name()} ${word}`) : nearest ? [nearest] : [];
  const path = group.parent ? `${pathOf(group)} ` : '';
  const hint =
    meant.length > 0
      ? `(Did you mean ${meant.map((name) => path + name).join(', ')}?)`
      : `(Commands: ${names.join(', ')}.)`;
  group.error(`error: unknown command '${path}${word}'\n${hint}`);
}

function pathOf(command: Command): string {
  const above = command.parent?.parent ? `${pathOf(command.parent)} ` : '';
  return above + command.name();
}

function settingsHelp(): string {
  const width = Math.max(...settings.map(([name]) => name.length));
  const lines = settings.map(
    ([name, value, text]) => `  ${name.padEnd(width)}  ${text}${value ? ` (${value})` : ''}`,
  );
  return `\nSettings, as environment variables:\n${lines.join('\n')}\n`;
}

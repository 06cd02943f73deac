import { Command } from 'commander';
import { settings } from '../config.ts';
import { operationOf, operations } from '../operations.ts';
import { version } from '../platform/lib/commandLine.ts';
import { nearestOf } from '../platform/lib/text.ts';
import { errorPrefix } from './output.ts';
import { parts, withoutCommand, type Part } from './parts.ts';
import { addVerbCommand } from './verbCommand.ts';

/** The program with the command that the words ask for; the others have only their names. */
export async function buildCli(words: readonly string[] = []): Promise<Command> {
  const program = newProgram()
    .description('Know what CI/CD costs, to the last job, before the bill arrives.')
    .addHelpText('after', settingsHelp())
    .addHelpText('beforeAll', ({ command }) => refuseUnknown(command) ?? '')
    .hook('preSubcommand', showHelpOrRefuse);
  const asked = words.find((word) => word !== 'help' && !word.startsWith('-')) ?? 'serve';
  const known = [...parts, ...untailored()];
  // An unknown word may belong to any command: all are needed to suggest one.
  const isKnown = known.some((part) => asked in part.words);
  for (const part of known) {
    if (!isKnown || asked in part.words) await addPart(program, part);
    else for (const [word, text] of Object.entries(part.words)) program.command(word).description(text);
  }
  return finished(program);
}

/** The program with all commands, for completion and the reference. */
export async function buildWholeCli(): Promise<Command> {
  const program = newProgram();
  for (const part of [...parts, ...untailored()]) await addPart(program, part);
  return finished(program);
}

function finished(program: Command): Command {
  for (const command of groupsBelow(program))
    command.helpCommand(false).on('command:*', () => showHelpOrRefuse(command));
  for (const command of program.commands) command.showHelpAfterError(helpHint);
  return program;
}

async function addPart(program: Command, { words, nouns = [], tailored, add }: Part): Promise<void> {
  await (
    await add?.()
  )?.(program);
  const own = (await tailored?.()) ?? {};
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
    addVerbCommand(groupFor(program, path, words), path.at(-1)!, operation, each);
}

const firstWord = (text: string): string => text.split(' ', 1)[0]!;

function groupFor(program: Command, path: readonly string[], texts: Record<string, string>): Command {
  let group = program;
  for (const word of path.slice(0, -1)) {
    const below = group.commands.find((command) => command.name() === word);
    const text =
      (group === program && texts[word]) || `commands of ${path.slice(0, path.indexOf(word) + 1).join(' ')}`;
    group = below ?? group.command(word).description(text);
  }
  return group;
}

/** Parts for the verbs that no part names: their commands come from the verbs alone. */
function untailored(): Part[] {
  const known = parts.flatMap(({ nouns = [] }) => nouns);
  const nouns = [...new Set(operations.map(({ name }) => firstWord(name)))];
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

const helpHint = '(see --help)';

function newProgram(): Command {
  return (
    new Command('runcost')
      .showHelpAfterError(helpHint)
      .helpCommand(false)
      // Gives `costs change` the options after it, although `costs` has some options of the same name.
      .enablePositionalOptions()
      .exitOverride()
      .version(version, '-V, --version', 'print the version')
      .configureOutput({ outputError: (text, write) => write(text.replace(/^error:/, errorPrefix())) })
  );
}

/** `help` works before, between and after other words: `help price rule`, `price help rule`, `waste help`. */
function showHelpOrRefuse(group: Command): void {
  if (!group.parent && group.args[0] === 'version') {
    console.log(version);
    process.exit(0);
  }
  if (group.args[0] !== 'help') return showHelpAtEnd(group);
  let shown = group;
  for (const word of group.args.slice(1)) {
    refuseUnknown(shown, [word]);
    shown = shown.commands.find((command) => command.name() === word) ?? shown;
  }
  shown.help();
}

function showHelpAtEnd(group: Command): void {
  let shown = group;
  for (const [index, word] of group.args.entries()) {
    const next = shown.commands.find((command) => command.name() === word);
    // A list of arguments may contain the word, because a file can be called so.
    const takesWord = shown.registeredArguments.some(({ variadic }) => variadic);
    const isEnd = shown.commands.length === 0 || index === group.args.length - 1;
    if (word === 'help' && isEnd && !takesWord) shown.help();
    if (!next) break;
    shown = next;
  }
  refuseUnknown(group);
}

/** Exits if a command is unknown. Otherwise Commander would pass the word to `serve`, the default command. */
function refuseUnknown(group: Command, words: readonly string[] = group.args): void {
  const word = words.find((each) => each !== '--help' && each !== '-h');
  const names = group.commands.map((command) => command.name());
  if (names.length === 0 || word === undefined || word.startsWith('-')) return;
  if (word === 'help' || names.includes(word)) return;
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

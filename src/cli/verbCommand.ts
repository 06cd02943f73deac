import { readFileSync } from 'node:fs';
import { Argument, InvalidArgumentError, Option, type Command } from 'commander';
import { type Field, type Operation, operations } from '../operations.ts';
import { addExample, exampleOf } from './examples.ts';
import { CommandError, exitCodes } from './faults.ts';
import { printJson, printLeftOut, printNote } from './output.ts';
import { openSession, type Answer, type CallOptions, type Input, type Session } from './session.ts';
import { csvOf, printFields, printRows, rowsOf } from './tables.ts';
import type { TargetOptions } from './target.ts';

/** What a command has beside, or in place of, what its verb says. */
export type Tailored = {
  /** The verb, if the key is not its name: a second command of a verb, such as `alert snooze` of `alert update`. */
  verb?: string;
  /** Its words, where they are not the verb's name: `costs`. */
  words?: string;
  title?: string;
  /** Names of options that are not their field's. A name in capitals is a variable, for a field of `without`. */
  options?: Record<string, string>;
  /** How faults name what has no option of its own: `{ 'scope.workflow': '--scope workflow' }`. */
  called?: Record<string, string>;
  /** Fields without an option, because `read` or `run` fills them. */
  without?: readonly string[];
  /** The only fields with an option. */
  only?: readonly string[];
  /** Options that are no fields. */
  more?: (command: Command) => unknown;
  /** Changes the input that the options make. */
  read?: (input: Input, options: Options) => Input;
  /** In place of one call. Returns the answer. */
  run?: (session: Session, input: Input, options: Options) => Promise<Answer>;
  /** The same, for a command that may work without a server. */
  runAnywhere?: (open: () => Session, input: Input, call: CallOptions) => Promise<Answer>;
  /** Values of fields that are not given. */
  defaults?: Input;
  /** What `--json` prints, if not the answer, or the rows of a list. */
  json?: (answer: Answer) => unknown;
  print?: (answer: Answer, options: Options, input: Input) => void;
  /** Printed after the rows of a list. */
  notes?: (answer: Answer) => readonly string[];
  /** Printed if a list has no rows. */
  empty?: string;
  /** Rows to list by default, if not 50. */
  limit?: number;
  /** Lines of help after the options. */
  help?: string;
  /** Whether one command does what several verbs do, such as `share create`. */
  also?: readonly string[];
};

/** For `json` of a report, which has totals beside its rows. */
export const whole = (answer: Answer): Answer => answer;

/** Tailored commands by the names of their verbs. */
export type TailoredGroup = Record<string, Tailored>;

export type Options = TargetOptions & {
  json?: boolean;
  csv?: boolean;
  web?: boolean;
  limit?: number;
  input?: string;
  [name: string]: unknown;
};

type Named = { tailored: Tailored; wordsOf: (verb: string) => string };

const operationsOf = new WeakMap<Command, Operation>();

/** Whose command it is; undefined if it is more than a verb's. */
export const operationIn = (command: Command): Operation | undefined => operationsOf.get(command);

/** The command of an operation: arguments and options from its fields, a table or fields of its answer. */
export function addVerbCommand(
  group: Command,
  name: string,
  operation: Operation,
  { tailored, wordsOf }: Named,
): void {
  const command = group.command(name).description(tailored.title ?? textOf(operation.title));
  operationsOf.set(command, operation);
  const { only, without } = tailored;
  const shown = operation.fields.filter(
    (field) => !without?.includes(field.name) && (only?.includes(field.name) ?? true),
  );
  const takesFile = shown.some(({ type, in: place }) => type === 'json' && place === 'body');
  for (const field of shown) {
    const text = field.text ?? helpOf(field, operation, wordsOf);
    addField(command, { ...field, text, isOptional: takesFile && field.in === 'body' }, tailored);
  }
  tailored.more?.(command);
  if (takesFile) command.option('--input <file>', 'JSON with fields of the body; - for standard input');
  if (operation.list) addLimit(command, operation, tailored);
  addOutputOptions(command, operation);
  if (operation.page) addWeb(command, operation);
  addTargetOptions(command);
  if (tailored.help) command.addHelpText('after', `\n${tailored.help.trim()}`);
  if (!/^Examples?:$/m.test(tailored.help ?? '')) {
    const optionOf = ({ name: field }: Field): string => `--${nameOf(field, tailored.options)}`;
    addExample(command, exampleOf(command, shown, optionOf));
  }
  command.action(async (...given: unknown[]) => {
    const words = command.registeredArguments.map((argument, index) => [argument.name(), given[index]]);
    const options: Options = { ...command.opts<Options>(), ...Object.fromEntries(words) };
    const input = inputOf(shown, { options, words: given.slice(0, -2), tailored });
    const read = options.web ? input : (tailored.read?.(input, options) ?? input);
    await runVerb(operation, tailored, { options, input: read });
  });
}

/** A page asks for what the command requires. */
function addWeb(command: Command, { method }: Operation): void {
  const required = command.options.filter(({ mandatory }) => mandatory);
  const none = Object.fromEntries(required.map((option) => [option.attributeName(), null]));
  const web = new Option('--web', `open the page that ${method === 'GET' ? 'shows' : 'does'} this`);
  command.addOption(web.implies(none));
}

const targetOptions = [
  ['--org <id>', 'organization; optional while there is only one'],
  ['--url <address>', 'server, in place of RUNCOST_URL'],
  ['--context <name>', 'a server of `runcost login`, in place of the current one'],
] as const;

/** A field's option comes first: a webhook has a `--url` of its own. */
export function addTargetOptions(command: Command): Command {
  for (const [flags, text] of targetOptions) {
    const option = new Option(flags, text).helpGroup('Server:');
    if (!command.options.some(({ long }) => long === option.long)) command.addOption(option);
  }
  return command;
}

const pageRows = 100;
export const maxRows = 1_000;

function addLimit(command: Command, { fields, list }: Operation, { limit = 50 }: Tailored): void {
  if (list?.paging !== 'page' || fields.some(({ name }) => name === 'limit')) return;
  command.option('--limit <count>', `rows to show, 1 to 1,000`, wholeNumber(1, maxRows), limit);
}

function addOutputOptions(command: Command, { hasCsv, list, isText, method, path }: Operation): void {
  if (isText) return;
  command.option('--json', `print the answer of ${method} /api/v1${path} as JSON`);
  if (!hasCsv && !list) return;
  // The server's CSV has the rows of all pages.
  const isAll = hasCsv && list?.paging === 'page';
  const text = isAll ? 'print all rows as CSV, without --limit' : 'print it as CSV';
  command.addOption(new Option('--csv', text).conflicts(isAll ? ['json', 'limit'] : 'json'));
}

/** Which command shows such ids, where the field does not say it: the list whose address comes before the id. */
function helpOf({ name }: Field, { path }: Operation, wordsOf: Named['wordsOf']): string {
  const above = path.slice(0, Math.max(0, path.indexOf(`/:${name}`)));
  const list = operations.find((each) => each.list && each.method === 'GET' && each.path === above);
  return list ? `as \`${wordsOf(list.name)}\` shows it` : name.replaceAll('_', ' ');
}

const isArgument = ({ in: place }: Field): boolean => place === 'params';

/** The option of a field, without its `--`. */
function nameOf(field: string, options: Tailored['options'] = {}): string {
  return options[field] ?? field.replaceAll('_', '-');
}

/** A file can hold what an option leaves out. */
type Shown = Field & { isOptional: boolean };

function addField(command: Command, field: Shown, { options, defaults }: Tailored): void {
  const name = nameOf(field.name, options);
  const usual = defaults?.[field.name];
  const text = textOf(field.text ?? '');
  if (isArgument(field)) return void command.addArgument(new Argument(`<${name}>`, text));
  if (field.type === 'boolean') return addSwitch(command, field, { name, text });
  const option = new Option(
    `--${name} <${placeholderOf(field)}>`,
    usual === undefined ? textWithDefault(field, text) : text,
  );
  const { choices = [] } = field;
  if (choices.length > 0 && choices.length <= maxChoices && !field.isNullable) option.choices(choices);
  if (field.isList) option.argParser(collectorOf(option));
  else if (field.type === 'number') option.argParser(numberOf(option, field));
  if (usual !== undefined) option.default(usual);
  else if (field.isRequired && !field.isOptional) option.makeOptionMandatory();
  command.addOption(option);
}

const maxChoices = 12;

function addSwitch(command: Command, field: Field, { name, text }: { name: string; text: string }): void {
  const option = new Option(`--${name}`, textWithDefault(field, text));
  // One row of help for both. A switch that is off needs no word for that.
  if (field.default !== false) option.flags = `--[no-]${name}`;
  command.addOption(option);
  command.addOption(new Option(`--no-${name}`).hideHelp());
}

function textOf(text: string): string {
  return text === ''
    ? ''
    : text.replaceAll('`', '').replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());
}

function textWithDefault(field: Field, text: string): string {
  const { default: value, isList, isNullable } = field;
  const usual = value === undefined || value === '' ? '' : `by default ${String(value)}`;
  return [
    text,
    usual,
    isNullable ? 'none for no value' : '',
    isList && field.in === 'body' ? "repeatable, '' for none" : '',
  ]
    .filter(Boolean)
    .join('; ');
}

function placeholderOf({ type, name, choices }: Field): string {
  if (type === 'json') return 'json';
  if (type === 'number') return 'number';
  if (choices) return 'word';
  return name.endsWith('_id') || name === 'id' ? 'id' : 'text';
}

function collectorOf(option: Option) {
  const { argChoices } = option;
  return (text: string, before: unknown): string[] => {
    if (argChoices && !argChoices.includes(text))
      throw new CommandError(
        `${option.long} must be one of ${argChoices.join(', ')}; "${text}" is not`,
        'usage',
      );
    return [...((before as string[] | undefined) ?? []), text];
  };
}

function numberOf({ long }: Option, { isNullable }: Field) {
  return (text: string): number | string => {
    if (isNullable && text === 'none') return text;
    if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
    throw new CommandError(`${long} must be a plain number such as 1000 or 12.5, not "${text}"`, 'usage');
  };
}

export function wholeNumber(least: number, most: number) {
  return (text: string): number => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    const range = `from ${least} to ${most.toLocaleString('en-US')}`;
    throw new InvalidArgumentError(`It must be a whole number ${range}.`);
  };
}

/** Commander's name of an option in `opts()`. */
const camelCase = (name: string): string =>
  name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

type Typed = { options: Options; words: unknown[]; tailored: Tailored };

function inputOf(fields: readonly Field[], { options, words, tailored }: Typed): Input {
  const given = fields
    .filter((field) => !isArgument(field))
    .flatMap((field) => {
      const name = nameOf(field.name, tailored.options);
      const value = options[camelCase(name)];
      return value === undefined ? [] : [[field.name, valueOf(field, value, name)] as const];
    });
  const named = fields.filter(isArgument).map((field, index) => [field.name, words[index]] as const);
  return {
    ...(options.input !== undefined && readJsonFile(options.input)),
    ...Object.fromEntries([...named, ...given]),
  };
}

function valueOf({ type, isList, isNullable }: Field, value: unknown, name: string): unknown {
  if (isNullable && value === 'none') return null;
  // An empty text is no value of any list.
  if (isList && Array.isArray(value) && value.join('') === '') return [];
  if (type !== 'json' || typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    throw new CommandError(`--${name} must be JSON, not ${value}`, 'usage');
  }
}

function readJsonFile(file: string): Input {
  try {
    return JSON.parse(readFileSync(file === '-' ? 0 : file, 'utf8')) as Input;
  } catch (error) {
    throw new CommandError(`--input: ${(error as Error).message}`, 'usage');
  }
}

type Asked = { options: Options; input: Input };

async function runVerb(operation: Operation, tailored: Tailored, { options, input }: Asked): Promise<void> {
  const isField = (name: string): boolean => operation.fields.some((field) => field.name === name);
  const open = (): Session =>
    openSession({
      ...(options.org !== undefined && { org: options.org }),
      ...(options.url !== undefined && !isField('url') && { url: options.url }),
      ...(options.context !== undefined && !isField('context') && { context: options.context }),
    });
  const optionOf = (field: string): string => optionOfField(operation, tailored, field);
  if (tailored.runAnywhere) {
    const answer = await tailored.runAnywhere(open, input, { optionOf });
    return print(operation, tailored, { options, input, answer });
  }
  const session = namingOptions(open(), optionOf);
  if (options.web) return openPage(session, operation.page!, input);
  if (options.csv && operation.hasCsv) {
    const text = await session.call(operation.name, input, { accept: 'text/csv' });
    return void process.stdout.write(text as string);
  }
  const answer = tailored.run
    ? await tailored.run(session, input, options)
    : operation.list?.paging === 'page' && options.limit !== undefined
      ? await pagesOf(session, operation, { input, limit: options.limit })
      : await session.call(operation.name, input);
  print(operation, tailored, { options, input, answer });
  // The answer of a test message.
  if (answer?.delivered === false) process.exitCode = exitCodes.fault;
  // After its rows, because a list of rows has no place for it.
  const cursor = operation.list?.paging === 'cursor' && answer.pagination.next_cursor;
  if (cursor) printNote(`The next page: --cursor ${cursor}`);
}

/** Faults of fields name the command's options. */
function namingOptions(session: Session, optionOf: (field: string) => string): Session {
  return { ...session, call: (name, input, more) => session.call(name, input, { optionOf, ...more }) };
}

function print(
  operation: Operation,
  tailored: Tailored,
  { options, input, answer }: Asked & { answer: Answer },
): void {
  const { list, isText } = operation;
  if (answer === undefined) return;
  if (isText) return void process.stdout.write(answer as string);
  if (options.json) return printJson(tailored.json?.(answer) ?? (list ? rowsOf(operation, answer) : answer));
  if (list && options.csv) return void process.stdout.write(csvOf(list.columns, rowsOf(operation, answer)));
  if (tailored.print) return tailored.print(answer, options, input);
  if (!list) return printAnswer(answer);
  const rows = rowsOf(operation, answer);
  if (rows.length === 0) printNote(tailored.empty ?? 'There are none.');
  else printRows(list.columns, rows);
  for (const note of tailored.notes?.(answer) ?? []) printNote(note);
  const { total } = answer.pagination ?? {};
  if (total !== undefined) printLeftOut(rows.length, total as number, 'rows', maxRows);
}

function printAnswer(answer: Answer): void {
  const { message, ...fields } = answer as { message?: string; id?: string; deleted?: boolean };
  if (fields.deleted) return printNote(`Deleted ${fields.id}.`);
  if (Object.keys(fields).length > 0) printFields(fields);
  if (message !== undefined) printNote(message);
}

/** `threshold_amount` is `--threshold-amount` here. */
function optionOfField({ fields }: Operation, { options, called = {} }: Tailored, path: string): string {
  if (path === 'body') return 'The command';
  const [, name = path, rest = ''] = /^([^.[]+)(.*)$/.exec(path) ?? [];
  const field = fields.find((each) => each.name === name);
  const shown = nameOf(name, options);
  if (/^[A-Z_]+$/.test(shown)) return shown;
  const own = called[name] ?? (field && isArgument(field) ? `<${shown}>` : `--${shown}`);
  return called[path] ?? `${own}${rest}`;
}

type Paged = { input: Input; limit: number };

/** Reads pages until there are enough rows, and answers like one page with all of them. */
export async function pagesOf(
  session: Session,
  operation: Operation,
  { input, limit }: Paged,
): Promise<Answer> {
  const perPage = Math.min(limit, pageRows);
  const pageOf = (page: number) => session.call(operation.name, { ...input, page, per_page: perPage });
  const answer = await pageOf(1);
  const rows = rowsOf(operation, answer);
  const wanted = Math.min(limit, answer.pagination.total);
  for (let page = 2; rows.length < wanted; page += 1) {
    const more = rowsOf(operation, await pageOf(page));
    if (more.length === 0) break;
    rows.push(...more);
  }
  rows.splice(limit);
  return answer;
}

async function openPage(session: Session, page: string, input: Input): Promise<void> {
  const { openInBrowser } = await import('./browser.ts');
  const path = page.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(input[name])));
  const address = `${session.target().url}${path}`;
  printNote(address);
  openInBrowser(address);
}

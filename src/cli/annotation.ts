import type { Command } from 'commander';
import type { App } from '../app.ts';
import {
  annotationView,
  scopeNames,
  type Annotation,
  type NoteScope,
} from '../insight/annotations/annotation.ts';
import { addNote, deleteNote, listAnnotations, noteWarnings } from '../insight/annotations/annotations.ts';
import { invalid } from '../platform/lib/errors.ts';
import {
  collect,
  type CommonOptions,
  contextFor,
  namingOptions,
  orgOption,
  readDay,
  withApp,
} from './command.ts';
import { filtersOf } from './costs.ts';
import { printJson, printNote, printTable } from './output.ts';

type ListOptions = CommonOptions & { from?: string; to?: string; filter: string[] };
type AddOptions = CommonOptions & { start: string; end?: string; scope: string[] };

export function addAnnotationCommands(program: Command): void {
  const annotation = program
    .command('annotation')
    .description('what explains costs: notes, price changes and reprices')
    .addHelpText('after', help);
  annotation
    .command('list')
    .description('list annotations by day')
    .option('--from <day>', 'first UTC day; 30 days up to --to by default')
    .option('--to <day>', 'last UTC day; today by default')
    .option('--filter <name=value>', 'leave out notes on other values; can be repeated', collect, [])
    .option(...orgOption)
    .option('--json', 'print a JSON array')
    .action((options: ListOptions) =>
      withApp(async (app) => {
        const found = await listed(app, options);
        if (options.json) return printJson(found.map(annotationView));
        if (found.length === 0) return printNote('No annotations on these days.');
        printTable(
          ['ANNOTATION', 'DAYS', 'TEXT', 'ABOUT', 'BY'],
          found.map((each) => [each.id, daysOf(each), each.text, aboutOf(each), each.author ?? '']),
        );
      }),
    );
  annotation
    .command('add')
    .description('add a note on a day or several')
    .argument('<text>', 'at most 500 characters')
    .requiredOption('--start <day>', 'first UTC day, such as 2026-03-17')
    .option('--end <day>', 'last UTC day; the first by default')
    .option('--scope <name=value>', 'what it is about, such as repository=acme/api; repeatable', collect, [])
    .option(...orgOption)
    .option('--json', 'print the note as JSON')
    .action((text: string, options: AddOptions) =>
      withApp(async (app) => {
        const note = await added(app, text, options);
        const warnings = await noteWarnings(await contextFor(app, options.org), note);
        if (options.json) return printJson({ ...annotationView(note), warnings });
        console.log(note.id);
        if (warnings.length > 0) printNote(`The note is saved. ${warnings.join(' ')}`);
      }),
    );
  annotation
    .command('delete')
    .description('delete a note')
    .argument('<id>', 'ann_… as `annotation list` shows it')
    .option(...orgOption)
    .action((id: string, options: CommonOptions) =>
      withApp(async (app) => {
        await deleteNote(await contextFor(app, options.org), id);
        printNote(`Deleted ${id}.`);
      }),
    );
}

const help = `
Examples:
  runcost annotation add 'Moved the nightly tests to larger runners' --start 2026-03-17 --scope repository=acme/api
  runcost annotation list --from 2026-03-01 --to 2026-03-31 --filter repository=acme/api
`;

async function listed(app: App, { from, to, filter, org }: ListOptions): Promise<Annotation[]> {
  const ctx = await contextFor(app, org);
  const asked = {
    ...scopeOf('--filter', filtersOf(filter)),
    from: from && readDay('--from', from),
    to: to && readDay('--to', to),
  };
  return namingOptions(() => listAnnotations(ctx, asked));
}

async function added(app: App, text: string, { start, end, scope, org }: AddOptions): Promise<Annotation> {
  const values = scopeOf('--scope', filtersOf(scope, '--scope'));
  const named = Object.fromEntries(Object.entries(values).map(([name, [value]]) => [name, value!]));
  const note = {
    text,
    start: readDay('--start', start),
    ...(end !== undefined && { end: readDay('--end', end) }),
    scope: named as NoteScope,
  };
  return namingOptions(async () => addNote(await contextFor(app, org), note), {
    text: '<text>',
    'scope.workflow': '--scope workflow',
  });
}

function scopeOf(option: string, values: { [name: string]: string[] | undefined }) {
  const wrong = Object.keys(values).find((name) => !(scopeNames as readonly string[]).includes(name));
  if (wrong !== undefined) throw invalid(option, `must name one of ${scopeNames.join(', ')}`);
  return values as { [Name in (typeof scopeNames)[number]]?: string[] };
}

function daysOf({ start, end }: Annotation): string {
  return start === end ? start : `${start} to ${end}`;
}

function aboutOf({ scope }: Annotation): string {
  return Object.entries(scope ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
}

import { Option, type Command } from 'commander';
import { operationOf } from '../operations.ts';
import { CommandError } from './faults.ts';
import { follow } from './follow.ts';
import { formatCount, printNote, printTable } from './output.ts';
import { sendFile } from './sendFile.ts';
import type { Answer, Input, Session } from './session.ts';
import type { Options, TailoredGroup } from './verbCommand.ts';

const addOwner = (command: Command): Command =>
  command
    .option('--team <name>', 'the team that they belong to')
    .option('--cost-center <name>', 'the cost center that they belong to');

function readOwner(input: Input, { team, costCenter }: Options): Input {
  const owner = team ?? costCenter;
  if (owner === undefined || (team !== undefined && costCenter !== undefined))
    throw new CommandError('--team or --cost-center is required: one of them', 'usage');
  return { ...input, kind: team === undefined ? 'cost_center' : 'team', owner };
}

const { choices: places } = operationOf('ownership import start').fields.find(({ name }) => name === 'from')!;

const addImport = (command: Command): Command =>
  command
    .argument('[file]', 'path of a file as `ownership export` prints it')
    .addOption(new Option('--from <place>', 'read GitHub in place of a file').choices(places!))
    .option('--dry-run', 'only say what a file would change')
    .option('--remove-all', 'let a file with a heading only remove all rules');

async function importOwners(session: Session, input: Input, options: Options): Promise<Answer> {
  const { file, from, dryRun, removeAll } = options;
  if ((file === undefined) === (from === undefined))
    throw new CommandError('<file> or --from is required: one of them', 'usage');
  if (file !== undefined) {
    const query = { dry_run: dryRun ? 'true' : undefined, remove_all: removeAll ? 'true' : undefined };
    return sendFile(session, { method: 'PUT', path: '/ownership/csv', query, file: file as string });
  }
  if (dryRun || removeAll)
    throw new CommandError(`${dryRun ? '--dry-run' : '--remove-all'} is only for a file`, 'usage');
  const { id } = await session.call('ownership import start', { ...input, from });
  const unit = from === 'codeowners' ? 'repositories' : 'organizations';
  const imported = await follow(session, { get: 'ownership import get', input: { id }, unit });
  if (imported?.problems.length > 0) process.exitCode = 1;
  return imported;
}

function printImport(imported: Answer): void {
  if ('changes' in imported) return printChanges(imported);
  for (const { message } of imported.problems) printNote(message);
  console.log(`Found ${formatCount(imported.found)} ${imported.found === 1 ? 'owner' : 'owners'}.`);
}

function printChanges({ changes, added, removed, unchanged, ...imported }: Answer): void {
  const lines = changes.map(
    ({ change, owner, kind, valid_from: from, valid_until: until, ...rule }: Answer) => [
      change === 'add' ? '+' : '-',
      owner,
      kind.replace('_', ' '),
      ['repository', 'workflow', 'label']
        .filter((name) => rule[name])
        .map((name) => `${name} ${rule[name]}`)
        .join(', '),
      from || until ? `${from ?? '…'} to ${until ?? '…'}` : 'all',
    ],
  );
  if (lines.length > 0) printTable(['', 'OWNER', 'KIND', 'MATCHES', 'DAYS'], lines);
  const more = added + removed - lines.length;
  if (more > 0) printNote(`and ${formatCount(more)} more changes`);
  const order = imported.is_reordered ? ', in another order' : '';
  const counts = `${formatCount(added)} added, ${formatCount(removed)} removed, ${formatCount(unchanged)} unchanged${order}.`;
  printNote(`${imported.dry_run ? 'Nothing was changed. It would be: ' : ''}${counts}`);
}

export const ownershipCommands: TailoredGroup = {
  'ownership rule list': {
    words: 'ownership list',
    limit: 1_000,
    empty: 'No rules yet. `ownership add` adds one.',
  },
  'ownership rule create': {
    words: 'ownership add',
    options: { valid_from: 'from', valid_until: 'until' },
    called: { owner: '--team or --cost-center' },
    without: ['kind', 'owner'],
    more: addOwner,
    read: readOwner,
    print: ({ id }) => {
      console.log(id);
      printNote('It takes effect at once, for all days on which it holds.');
    },
    help: `Example:\n  runcost ownership add --team payments --repository 'acme/pay-*'`,
  },
  'ownership rule get': { words: 'ownership get' },
  'ownership rule update': {
    words: 'ownership update',
    options: { valid_from: 'from', valid_until: 'until' },
  },
  'ownership rule delete': { words: 'ownership delete' },
  'ownership cost list': { words: 'ownership costs', empty: 'No rule matched a job in this period.' },
  'ownership rule export': { words: 'ownership export' },
  'ownership import start': {
    words: 'ownership import',
    title: 'replace the rules that people wrote by those of a CSV file, or import owners from GitHub',
    options: { source_id: 'source' },
    without: ['from'],
    more: addImport,
    run: importOwners,
    print: printImport,
    help: `
Examples:
  runcost ownership import --from codeowners
  runcost ownership import owners.csv --dry-run`,
  },
  'ownership imports': {
    verb: 'ownership import list',
    empty: 'No imports yet. Start one with `ownership import --from`.',
  },
  'ownership cancel': { verb: 'ownership import cancel' },
};

import { readFile } from 'node:fs/promises';
import { Option, type Command } from 'commander';
import type { App } from '../app.ts';
import {
  cancelImport,
  getImport,
  importSources,
  listImports,
  ownerImportPollers,
  ownerImportView,
  startImport,
  type ImportSource,
} from '../intake/teams/ownerImport.ts';
import type { OwnerKind } from '../ledger/ownership/owners.ts';
import { exportRules, importRules, importView, type Imported } from '../ledger/ownership/ruleFile.ts';
import {
  createRule,
  deleteRule,
  listRules,
  maxRules,
  ruleView,
  type Rule,
  type RuleInput,
} from '../ledger/ownership/rules.ts';
import { invalid, PublicError } from '../platform/lib/errors.ts';
import {
  contextFor,
  limitOption,
  maxListed,
  namingOptions,
  orgOption,
  readDay,
  wholeNumber,
  withApp,
  type CommonOptions,
  type ListOptions,
} from './command.ts';
import { followTask } from './followTask.ts';
import { formatCount, printJson, printLeftOut, printNote, printTable } from './output.ts';

export function addOwnershipCommands(program: Command): void {
  const ownership = program
    .command('ownership')
    .description('map repositories, workflows and labels to teams and cost centers');
  addRuleList(ownership);
  addRuleAdd(ownership);
  ownership
    .command('delete')
    .description('delete a rule')
    .argument('<id>', 'own_… as `ownership list` shows it')
    .option(...orgOption)
    .action((id: string, options: CommonOptions) =>
      withApp(async (app) => {
        await deleteRule(await contextFor(app, options.org), id);
        console.log(`Deleted ${id}.`);
      }),
    );
  ownership
    .command('export')
    .description('print the rules that people wrote as CSV')
    .option(...orgOption)
    .action((options: CommonOptions) =>
      withApp(async (app) => {
        process.stdout.write(await exportRules(await contextFor(app, options.org)));
      }),
    );
  addFileImport(ownership);
  addImportList(ownership);
  addImportCancel(ownership);
}

function addRuleList(ownership: Command): void {
  ownership
    .command('list')
    .description('list the rules in the order they are tried')
    .option(...orgOption)
    .option('--json', 'print a JSON array')
    .action((options: CommonOptions) =>
      withApp(async (app) => {
        const ctx = await contextFor(app, options.org);
        const { rules } = await listRules(ctx, { page: 1, perPage: maxRules });
        if (options.json) return printJson(rules.map(ruleView));
        if (rules.length === 0) return printNote('No rules yet. `ownership add` adds one.');
        printTable(['RULE', 'ORDER', 'OWNER', 'KIND', 'MATCHES', 'DAYS', 'SOURCE'], rules.map(cellsOf));
      }),
    );
}

function cellsOf(rule: Rule): string[] {
  const patterns = (['repository', 'workflow', 'label'] as const)
    .filter((name) => rule[name] !== null)
    .map((name) => `${name} ${rule[name]}`);
  const { validFrom, validUntil } = rule;
  const days = validFrom || validUntil ? `${validFrom ?? '…'} to ${validUntil ?? '…'}` : 'all';
  const kind = rule.kind.replace('_', ' ');
  return [rule.id, String(rule.position), rule.owner, kind, patterns.join(', '), days, rule.source];
}

type AddOptions = CommonOptions & {
  team?: string;
  costCenter?: string;
  repository?: string;
  workflow?: string;
  label?: string;
  from?: string;
  until?: string;
  position?: number;
};

function addRuleAdd(ownership: Command): void {
  ownership
    .command('add')
    .description('add a rule that maps repositories, workflows or labels to an owner')
    .option('--team <name>', 'the team that they belong to')
    .option('--cost-center <name>', 'the cost center that they belong to')
    .option('--repository <pattern>', 'owner/name; * is any characters')
    .option('--workflow <pattern>', 'id or name')
    .option('--label <pattern>', 'any one label of the job')
    .option('--from <day>', 'first day of the rule')
    .option('--until <day>', 'last day of the rule')
    .option(
      '--position <number>',
      'place in the order, from 1; by default the last',
      wholeNumber(1, maxRules),
    )
    .option(...orgOption)
    .option('--json', 'print the rule as JSON')
    .action((options: AddOptions) =>
      withApp(async (app) => {
        const input = inputOf(options);
        const ctx = await contextFor(app, options.org);
        const rule = await namingOptions(() => createRule(ctx, input), {
          '`valid_until`': '--until',
          owner: input.kind === 'team' ? '--team' : '--cost-center',
          valid_until: '--until',
          valid_from: '--from',
        });
        if (options.json) return printJson(ruleView(rule));
        console.log(rule.id);
        printNote('It takes effect at once, for all days on which it holds.');
      }),
    );
}

function inputOf({ team, costCenter, ...options }: AddOptions): RuleInput {
  const owner = team ?? costCenter;
  if (owner === undefined || (team !== undefined && costCenter !== undefined))
    throw invalid('--team or --cost-center', 'is required: one of them');
  const { repository = null, workflow = null, label = null, from, until, position } = options;
  const kind: OwnerKind = team === undefined ? 'cost_center' : 'team';
  return {
    kind,
    owner,
    repository,
    workflow,
    label,
    valid_from: from === undefined ? null : readDay('--from', from),
    valid_until: until === undefined ? null : readDay('--until', until),
    ...(position !== undefined && { position }),
  };
}

type ImportOptions = CommonOptions & {
  dryRun?: boolean;
  removeAll?: boolean;
  from?: ImportSource;
  source?: string;
  teamProperty: string;
  costCenterProperty: string;
};

function addFileImport(ownership: Command): void {
  ownership
    .command('import')
    .description('replace the rules that people wrote by those of a CSV file, or import owners from GitHub')
    .argument('[file]', 'path of a file as `ownership export` prints it')
    .addOption(new Option('--from <place>', 'read GitHub in place of a file').choices(importSources))
    .option('--source <id>', 'source whose credentials to use; optional while only one has some')
    .option('--team-property <name>', 'custom property that names the team', 'team')
    .option('--cost-center-property <name>', 'custom property that names the cost center', 'cost_center')
    .option('--dry-run', 'only say what would change')
    .option('--remove-all', 'let a file with a heading only remove all rules')
    .option(...orgOption)
    .option('--json', 'print the data of PUT /api/v1/ownership/csv, or of the import')
    .action((path: string | undefined, options: ImportOptions) =>
      withApp(async (app) => {
        if ((path === undefined) === (options.from === undefined))
          throw invalid('<file> or --from', 'is required: one of them');
        if (path === undefined) return importFromGitHub(app, options);
        const text = await readFile(path, 'utf8').catch((error: Error) => {
          throw invalid('<file>', `cannot be read: ${error.message}`);
        });
        const ctx = await contextFor(app, options.org);
        const { dryRun = false, removeAll = false } = options;
        const imported = await namingOptions(() => importRules(ctx, text, { dryRun, removeAll }), {
          remove_all: '--remove-all',
        });
        if (options.json) return printJson(importView(imported));
        printImported(imported);
      }),
    );
}

async function importFromGitHub(app: App, options: ImportOptions): Promise<void> {
  for (const option of ['dryRun', 'removeAll'] as const)
    if (options[option])
      throw invalid(option === 'dryRun' ? '--dry-run' : '--remove-all', 'is only for a file');
  const { actor } = await contextFor(app, options.org);
  const ctx = { ...app, actor, gitHubApiUrl: app.config.gitHubApiUrl };
  const request = {
    from: options.from!,
    source_id: options.source,
    team_property: options.teamProperty,
    cost_center_property: options.costCenterProperty,
  };
  const { id } = await namingOptions(() => startImport(ctx, request), { source_id: '--source' });
  const [poller] = ownerImportPollers(ctx);
  const { task } = await followTask({
    clock: ctx.clock,
    poller: poller!,
    unit: options.from === 'codeowners' ? 'repositories' : 'organizations',
    name: 'import of owners',
    shownBy: `GET /api/v1/ownership/imports/${id}`,
    read: () => getImport(ctx, id),
  });
  const view = ownerImportView(task, ctx.clock.now());
  if (options.json) printJson(view);
  else for (const { message } of view.problems) printNote(message);
  if (view.status === 'failed')
    throw new PublicError('unavailable', 'import_failed', view.error ?? 'The import failed.');
  if (view.problems.length > 0) process.exitCode = 1;
  if (!options.json) console.log(`Found ${formatCount(view.found)} owners.`);
}

function addImportList(ownership: Command): void {
  ownership
    .command('imports')
    .description('list the latest imports from GitHub')
    .option(...limitOption('imports'))
    .option(...orgOption)
    .option('--json', 'print a JSON array')
    .action((options: ListOptions) =>
      withApp(async (app) => {
        const ctx = await contextFor(app, options.org);
        const { imports, total } = await listImports(ctx, { page: 1, perPage: options.limit });
        const views = imports.map((each) => ownerImportView(each, app.clock.now()));
        if (options.json) return printJson(views);
        if (views.length === 0) return printNote('No imports yet. Start one with `ownership import --from`.');
        printTable(
          ['IMPORT', 'BEGAN', 'FROM', 'STATUS', 'OWNERS', 'PROBLEMS'],
          views.map((view) => [
            view.id,
            view.created_at.toISOString(),
            view.from,
            view.waiting ? 'waiting' : view.status,
            formatCount(view.found),
            formatCount(view.problems.length),
          ]),
        );
        printLeftOut(views.length, total, 'imports', maxListed);
      }),
    );
}

function addImportCancel(ownership: Command): void {
  ownership
    .command('cancel')
    .description('cancel an import from GitHub; no rule changes')
    .argument('<id>', 'oimp_… as `ownership imports` shows it')
    .option(...orgOption)
    .option('--json', 'print the import as JSON')
    .action((id: string, options: CommonOptions) =>
      withApp(async (app) => {
        const cancelled = await cancelImport(await contextFor(app, options.org), id);
        if (options.json) return printJson(ownerImportView(cancelled, app.clock.now()));
        console.log(cancelled.id);
      }),
    );
}

function printImported({ isDryRun, added, removed, unchanged, isReordered }: Imported): void {
  const lines = [
    ...removed.map((row) => ['-', ...cellsOf(row).slice(2, 6)]),
    ...added.map((row) => ['+', ...cellsOf(row).slice(2, 6)]),
  ];
  if (lines.length > 0) printTable(['', 'OWNER', 'KIND', 'MATCHES', 'DAYS'], lines);
  const counts = [
    `${formatCount(added.length)} added`,
    `${formatCount(removed.length)} removed`,
    `${formatCount(unchanged)} unchanged${isReordered ? ', in another order' : ''}`,
  ];
  printNote(`${isDryRun ? 'Nothing was changed. It would be: ' : ''}${counts.join(', ')}.`);
}

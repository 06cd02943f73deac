import type { Command } from 'commander';
import { countRuns, type DeletedRuns, deleteRuns, findUnknownRuns } from '../ledger/runs/deleteRuns.ts';
import type { RunChoice } from '../ledger/runs/deleteRuns.ts';
import { PublicError } from '../platform/lib/errors.ts';
import { usd } from '../platform/lib/money.ts';
import { countOf } from '../platform/lib/text.ts';
import { contextFor, namingOptions, orgOption, readDay, withApp } from './command.ts';
import { startProgress } from './follow.ts';
import { addRunList } from './lists.ts';
import { dollars, printError, printJson, printNote } from './output.ts';

type DeleteOptions = {
  provider?: string;
  repo?: string;
  workflow?: string;
  from?: string;
  to?: string;
  yes?: boolean;
  org?: string;
  json?: boolean;
};

export function addRunCommands(program: Command): void {
  const run = program.command('run').description('list runs, and delete those reported by mistake');
  addRunList(run);
  addRunDelete(run);
}

function addRunDelete(run: Command): void {
  run
    .command('delete')
    .description('delete runs that were reported by mistake')
    .argument('[id...]', 'run_… as pages and lists show it')
    .option('--provider <name>', 'runs of this provider, such as github')
    .option('--repo <name>', 'runs of this repository: owner/name, or the bare name')
    .option('--workflow <id>', 'runs of this workflow: wf_…')
    .option('--from <day>', 'runs created on this UTC day or later')
    .option('--to <day>', 'runs created on this UTC day or before')
    .option('--yes', 'delete them; otherwise only count them')
    .option(...orgOption)
    .option('--json', 'print the counts as JSON')
    .addHelpText('after', help)
    .action((ids: string[], options: DeleteOptions) =>
      withApp(async (app) => {
        const ctx = { ...app, ...(await contextFor(app, options.org)) };
        const choice = choiceOf(ids, options);
        const counted = await namingOptions(() => countRuns(ctx, choice), optionNames);
        const unknown = await findUnknownRuns(ctx, ids);
        if (!options.yes || counted.runs === 0) {
          const isOnlyUnknown = counted.runs === 0 && unknown.length > 0 && !options.json;
          if (!isOnlyUnknown) show(counted, { ...options, isDeleted: false });
          return reportUnknown(unknown);
        }
        const progress = startProgress(counted.runs, app.clock);
        const total: DeletedRuns = { runs: 0, jobs: 0, costNanos: 0n };
        try {
          for (let hasMore = true; hasMore;) {
            const step = await deleteRuns(ctx, choice);
            total.runs += step.runs;
            total.jobs += step.jobs;
            total.costNanos += step.costNanos;
            hasMore = step.hasMore;
            progress.report(total.runs);
          }
        } finally {
          progress.end();
        }
        show(total, { ...options, isDeleted: true });
        reportUnknown(unknown);
      }),
    );
}

const help = `
Deletes the runs with their jobs and removes them from every sum. Runs that are reported again are recorded again.

Examples:
  runcost run delete run_github_9482310 --yes
  runcost run delete --repo acme/wrong
  runcost run delete --provider jenkins --from 2026-03-01 --to 2026-03-31 --yes
`;

const optionNames = {
  'must name ids, a provider, a repo or a workflow_id': 'Give ids, --provider, --repo or --workflow',
};

function choiceOf(ids: string[], { provider, repo, workflow, from, to }: DeleteOptions): RunChoice {
  return {
    ...(ids.length > 0 && { ids }),
    ...(provider !== undefined && { provider }),
    ...(repo !== undefined && { repo }),
    ...(workflow !== undefined && { workflow_id: workflow }),
    ...(from !== undefined && { from: readDay('--from', from) }),
    ...(to !== undefined && { to: readDay('--to', to) }),
  };
}

function reportUnknown(ids: readonly string[]): void {
  if (ids.length === 0) return;
  const what = ids.length === 1 ? 'This run is' : 'These runs are';
  printError(new PublicError('not_found', 'run_not_found', `${what} not recorded: ${ids.join(', ')}`));
  process.exitCode = 1;
}

type Shown = Pick<DeleteOptions, 'json'> & { isDeleted: boolean };

function show({ runs, jobs, costNanos }: DeletedRuns, { json, isDeleted }: Shown): void {
  if (json) return printJson({ runs, jobs, cost: usd(costNanos), deleted: isDeleted });
  const what = `${countOf(runs, 'run')} with ${countOf(jobs, 'job')} and a cost of ${dollars(costNanos)}`;
  console.log(isDeleted ? `${what}: deleted` : what);
  if (!isDeleted)
    printNote(runs > 0 ? 'Nothing is deleted yet. Use --yes to delete them.' : 'No matching runs.');
}

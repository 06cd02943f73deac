import { operationOf } from '../operations.ts';
import { usd } from '../platform/lib/money.ts';
import { countOf } from '../platform/lib/text.ts';
import { printNothing } from './costs.ts';
import { CommandError, exitCodes } from './faults.ts';
import { filtered, filterHelp } from './filters.ts';
import { withProgress } from './follow.ts';
import { printError, printNote } from './output.ts';
import type { Answer, Input, Session } from './session.ts';
import { dollarsOf, nanosOf, printRows } from './tables.ts';
import type { Options, Tailored, TailoredGroup } from './verbCommand.ts';

type Listed = { things: string; example: string; rowOf: (row: Answer) => Answer };

/** `run list` and `job list` print one page and how to get the next. */
function listOf(verb: string, { things, example, rowOf }: Listed): Tailored {
  const { read, more, ...rest } = filtered(verb);
  return {
    ...rest,
    more: (command) => {
      more(command);
      command.option('--cursor <text>', 'the next page, as the page before names it');
    },
    read: (input, options) => ({ ...read(input, options), cursor: options['cursor'] }),
    // In one page, because the next begins after its last row.
    run: (session, input) => session.call(verb, input),
    print: ({ data, period }) => {
      if (data.length === 0) return printNothing(things, period);
      printRows(operationOf(verb).list!.columns, data.map(rowOf));
    },
    help: `${filterHelp}\nExample:\n  runcost ${example}`,
  };
}

async function deleteRuns(session: Session, input: Input, { id, yes }: Options): Promise<Answer> {
  const ids = id as string[];
  const choice = { ...input, ...(ids.length > 0 && { ids }) };
  const count = async (isDryRun: boolean) =>
    session.call('run delete-many', { ...choice, dry_run: isDryRun });
  const { runs, jobs, cost, unknown_ids: unknown } = await count(true);
  if (!yes || runs === 0) return { runs, jobs, cost, deleted: false, unknown_ids: unknown };
  const total = { runs: 0, jobs: 0, nanos: 0n };
  await withProgress({ total: runs, unit: 'runs' }, async (report) => {
    for (let hasMore = true; hasMore;) {
      const step = await count(false);
      total.runs += step.runs;
      total.jobs += step.jobs;
      total.nanos += nanosOf(step.cost);
      hasMore = step.has_more;
      report(total.runs);
    }
  });
  const { nanos, ...counts } = total;
  return { ...counts, cost: usd(nanos), deleted: true, unknown_ids: unknown };
}

function printDeletion({ runs, jobs, cost, deleted, unknown_ids: unknown }: Answer): void {
  const what = `${countOf(runs, 'run')} with ${countOf(jobs, 'job')} and a cost of ${dollarsOf(cost)}`;
  if (runs > 0 || unknown.length === 0) console.log(deleted ? `${what}: deleted` : what);
  if (runs > 0 && !deleted) printNote('Nothing is deleted yet. Use --yes to delete them.');
  else if (runs === 0 && unknown.length === 0) printNote('No matching runs.');
  if (unknown.length === 0) return;
  const missing = unknown.length === 1 ? 'This run is' : 'These runs are';
  printError(new CommandError(`${missing} not recorded: ${unknown.join(', ')}`));
  process.exitCode = exitCodes.not_found;
}

export const runCommands: TailoredGroup = {
  'run list': { words: 'run recent', title: 'list the latest runs by status, conclusion or flag' },
  'cost run list': {
    ...listOf('cost run list', {
      things: 'runs',
      example: 'run list --sort -cost --filter repository=acme/api',
      rowOf: (run) => ({ ...run, conclusion: run.conclusion ?? run.status }),
    }),
    words: 'run list',
    title: 'list the runs created in a period, by creation, start, cost or duration',
  },
  'cost job list': {
    ...listOf('cost job list', {
      things: 'completed jobs',
      example: 'job list --sort -duration --filter branch=main --limit 10',
      rowOf: (job) => ({ ...job, name: job.name ?? job.job_id, runner_kind: job.runner_kind ?? 'unpriced' }),
    }),
    words: 'job list',
    title: 'list the jobs completed in a period, by start, cost or duration',
  },
  'run delete-many': {
    words: 'run delete',
    also: ['run delete'],
    title: 'delete runs that were reported by mistake',
    options: { workflow_id: 'workflow' },
    without: ['ids', 'dry_run'],
    more: (command) =>
      command
        .argument('[id...]', 'run_… as pages and lists show it')
        .option('--yes', 'delete them; otherwise only count them'),
    run: deleteRuns,
    print: printDeletion,
    help: `
Deletes the runs with their jobs and removes them from every sum. Runs that are reported again are recorded again.

Examples:
  runcost run delete run_github_9482310 --yes
  runcost run delete --repo acme/wrong
  runcost run delete --provider jenkins --from 2026-03-01 --to 2026-03-31 --yes`,
  },
};

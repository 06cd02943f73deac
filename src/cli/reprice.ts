import type { Command } from 'commander';
import type { App } from '../app.ts';
import type { Context } from '../context.ts';
import { repricingPoller } from '../ledger/repricing/doReprice.ts';
import {
  cancelReprice,
  getReprice,
  listReprices,
  type Reprice,
  revertReprice,
  startReprice,
} from '../ledger/repricing/reprices.ts';
import { repriceView } from '../ledger/repricing/views.ts';
import { commandLine } from '../platform/lib/commandLine.ts';
import { invalid, PublicError } from '../platform/lib/errors.ts';
import type { Nanos } from '../platform/lib/money.ts';
import {
  type CommonOptions,
  contextFor,
  limitOption,
  type ListOptions,
  maxListed,
  orgOption,
  readDay,
  withApp,
} from './command.ts';
import { followTask } from './followTask.ts';
import { formatCount, printJson, printLeftOut, printNote, printTable, signedDollars } from './output.ts';

export function addRepriceCommands(program: Command): void {
  const reprice = program
    .command('reprice')
    .description('price past jobs with the current price list and rules')
    .addHelpText('after', help);
  addRun(reprice);
  addRevert(reprice);
  addList(reprice);
}

const help = `
Every change is logged with the previous cost, so you can undo it. Ctrl-C cancels; jobs that were already repriced keep
their new price.

Examples:
  runcost reprice run --from 2026-01-01 --to 2026-03-31 --dry-run
  runcost reprice run --from 2026-01-01 --to 2026-03-31
  runcost reprice revert reprice_0123456789abcdef0123
`;

function addRun(reprice: Command): void {
  reprice
    .command('run')
    .description('reprice the jobs that completed on these days')
    .requiredOption('--from <day>', 'first UTC day, such as 2026-01-01')
    .requiredOption('--to <day>', 'last UTC day')
    .option('--dry-run', 'show what would change, and change nothing')
    .option(...orgOption)
    .option('--json', 'print the result as JSON')
    .action((options: CommonOptions & { from: string; to: string; dryRun?: boolean }) =>
      withApp(async (app) => {
        const [from, to] = [readDay('--from', options.from), readDay('--to', options.to)];
        if (from > to) throw invalid('--to', 'must not be before --from');
        const ctx = await contextFor(app, options.org);
        const started = await startReprice(ctx, { from, to, dry_run: options.dryRun ?? false });
        showReprice(await followReprice(app, ctx, started), options);
      }),
    );
}

function addRevert(reprice: Command): void {
  reprice
    .command('revert')
    .description('undo a reprice: restore the previous costs')
    .argument('<id>', 'id of the reprice, as `reprice list` shows it')
    .option(...orgOption)
    .option('--json', 'print the result as JSON')
    .action((id: string, options: CommonOptions) =>
      withApp(async (app) => {
        const ctx = await contextFor(app, options.org);
        showReprice(await followReprice(app, ctx, await revertReprice(ctx, id)), options);
      }),
    );
}

function addList(reprice: Command): void {
  reprice
    .command('list')
    .description('list the latest reprices')
    .option(...limitOption('reprices'))
    .option(...orgOption)
    .option('--json', 'print a JSON array')
    .action((options: ListOptions) =>
      withApp(async (app) => {
        const page = { page: 1, perPage: options.limit };
        const { tasks, total } = await listReprices(await contextFor(app, options.org), page);
        if (options.json) return printJson(tasks.map(repriceView));
        if (tasks.length === 0) return printNote('No reprices yet.');
        printTable(
          ['REPRICE', 'DAYS', 'WHAT', 'STATUS', 'CHANGED JOBS', 'DIFFERENCE'],
          tasks.map((task) => [
            task.id,
            `${task.input.from} to ${task.input.to}`,
            whatOf(task),
            task.status,
            formatCount(task.state.changedJobs),
            signedDollars(differenceOf(task)),
          ]),
        );
        printLeftOut(tasks.length, total, 'reprices', maxListed);
      }),
    );
}

function whatOf({ input }: Reprice): string {
  if (input.action === 'revert') return `undoes ${input.repriceId}`;
  return `${input.isDryRun ? 'dry run with ' : ''}${input.list.priceBookId}`;
}

/** Ctrl-C cancels the reprice. */
export async function followReprice(app: App, ctx: Context, { id }: Reprice): Promise<Reprice> {
  const { task, isStopped } = await followTask({
    clock: app.clock,
    poller: repricingPoller(app),
    unit: 'jobs',
    name: 'reprice',
    shownBy: `${commandLine(app.config)} reprice list`,
    read: () => getReprice(ctx, id),
  });
  if (isStopped) return cancelReprice(ctx, id);
  if (task.status === 'failed')
    throw new PublicError('conflict', 'reprice_failed', task.error ?? 'The reprice failed.');
  return task;
}

export function showReprice(task: Reprice, { json }: CommonOptions): void {
  if (json) return printJson(repriceView(task));
  const { state, input } = task;
  const isDryRun = input.action === 'reprice' && input.isDryRun;
  const jobs = `${formatCount(state.changedJobs)} of ${formatCount(Number(task.done))} jobs`;
  console.log(`${jobs} ${isDryRun ? 'would change' : 'changed'}: ${signedDollars(differenceOf(task))}`);
  if (state.skippedJobs > 0) {
    printNote(`${formatCount(state.skippedJobs)} jobs have changed since and were skipped.`);
  }
  if (task.status === 'cancelled')
    printNote('Canceled; jobs that were already repriced keep their new price.');
  if (!isDryRun && state.changedJobs > 0) printNote(`To undo: reprice revert ${task.id}`);
}

function differenceOf({ state }: Reprice): Nanos {
  return BigInt(state.afterNanos) - BigInt(state.beforeNanos);
}

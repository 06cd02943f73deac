import { Option, type Command } from 'commander';
import type { App } from '../app.ts';
import { groupByNames, readableName } from '../insight/explore/costsView.ts';
import { durationsCsv, durationsView, jobsView, runsView } from '../insight/explore/listsView.ts';
import { readDurations, readList } from '../insight/explore/readLists.ts';
import {
  dimensionNames,
  type OwnershipParameters,
  type WindowParameters,
} from '../insight/explore/readQuestion.ts';
import {
  readWorkflows,
  workflowsCsv,
  workflowsView,
  type WorkflowsParameters,
} from '../insight/explore/workflowList.ts';
import { getWorkflowWaste } from '../insight/waste/getWaste.ts';
import { durationSorts, getDurations, type DurationQuestion, type Times } from '../ledger/costs/durations.ts';
import { listJobs, listRuns, listSorts, type ListSort } from '../ledger/costs/listing.ts';
import {
  getWorkflowCosts,
  successRateOf,
  workflowMetrics,
  workflowSorts,
  type WorkflowFigures,
} from '../ledger/costs/workflowCosts.ts';
import type { Window } from '../platform/lib/days.ts';
import { getOrganization } from '../tenancy/organizations/organizations.ts';
import { contextFor, maxListed, namingOptions, orgOption, wholeNumber, withApp } from './command.ts';
import {
  changePercentText,
  comparedText,
  compareOption,
  daysOf,
  daysOption,
  filterHelp,
  filterOption,
  filtersOf,
  optionNames,
  ownershipOption,
} from './costs.ts';
import {
  dollars,
  formatCount,
  formatDuration,
  printJson,
  printLeftOut,
  printNote,
  printTable,
  signedDollars,
} from './output.ts';

type FilteredOptions = WindowParameters &
  OwnershipParameters & { filter: string[]; limit: number; org?: string; json?: boolean };
type ListOptions = FilteredOptions & { sort: ListSort; cursor?: string };

export function addRunList(run: Command): void {
  addList(run, 'runs')
    .description('list the runs created in a period, by start, cost or duration')
    .addHelpText('after', helpOf('run list --sort -cost --filter repository=acme/api'))
    .action((options: ListOptions) => withApp((app) => showRuns(app, options)));
}

function addJobCommands(program: Command): void {
  addList(program.command('job').description('list jobs'), 'jobs')
    .description('list the jobs completed in a period, by start, cost or duration')
    .addHelpText('after', helpOf('job list --sort -duration --filter branch=main --limit 10'))
    .action((options: ListOptions) => withApp((app) => showJobs(app, options)));
}

function addList(group: Command, things: 'runs' | 'jobs'): Command {
  return group
    .command('list')
    .option(...daysOption)
    .option('--from <day>', 'first UTC day')
    .option('--to <day>', 'last UTC day')
    .option(...filterOption)
    .addOption(ownershipOption)
    .addOption(new Option('--sort <name>', 'order; - sorts downwards').choices(listSorts).default('-start'))
    .option(
      '--limit <count>',
      `${things} to show, 1 to ${formatCount(maxListed)}`,
      wholeNumber(1, maxListed),
      50,
    )
    .option('--cursor <text>', 'the next page, as the page before names it')
    .option(...orgOption)
    .option('--json', `print the answer of GET /api/v1/costs/${things}`);
}

function helpOf(example: string): string {
  return `${filterHelp.replace('of --group-by', 'such as repository, workflow, branch, actor or event')}
Example:
  runcost ${example}
`;
}

async function showRuns(app: App, options: ListOptions): Promise<void> {
  const ctx = await readerFor(app, options.org);
  const question = await reading(() => readList('runs', parametersOf(options), ctx));
  const page = await listRuns(ctx, question);
  const view = runsView(question, page, ctx.providers);
  if (options.json) return printJson(view);
  if (page.rows.length === 0) return printNothing('runs', question.window);
  printTable(
    ['RUN', 'REPOSITORY', 'WORKFLOW', 'BRANCH', 'STARTED', 'DURATION', 'COST', 'STATUS'],
    view.data.map((run, index) => [
      run.id,
      run.repo_name,
      run.workflow_name,
      run.branch ?? '-',
      instant(run.started_at),
      seconds(run.duration_seconds),
      dollars(page.rows[index]!.costNanos),
      run.conclusion ?? run.status,
    ]),
  );
  printNext(view.pagination.next_cursor);
}

async function showJobs(app: App, options: ListOptions): Promise<void> {
  const ctx = await readerFor(app, options.org);
  const question = await reading(() => readList('jobs', parametersOf(options), ctx));
  const page = await listJobs(ctx, question);
  const view = jobsView(question, page, ctx.providers);
  if (options.json) return printJson(view);
  if (page.rows.length === 0) return printNothing('completed jobs', question.window);
  printTable(
    ['JOB', 'REPOSITORY', 'RUN', 'RUNNER', 'STARTED', 'QUEUED', 'DURATION', 'COST'],
    view.data.map((job, index) => [
      job.name ?? job.job_id,
      job.repo_name,
      job.run_id,
      job.runner_kind ?? 'unpriced',
      instant(job.started_at),
      seconds(job.queue_seconds),
      seconds(job.duration_seconds),
      dollars(page.rows[index]!.costNanos),
    ]),
  );
  printNext(view.pagination.next_cursor);
}

async function readerFor(app: App, orgId: string | undefined) {
  const context = await contextFor(app, orgId);
  const { plan } = await getOrganization(context);
  return { ...context, log: app.log, plan };
}

function parametersOf<Options extends FilteredOptions>({ filter, from, to, ...options }: Options) {
  return { ...options, ...filtersOf(filter), ...daysOf({ from, to }) };
}

function reading<Question>(read: () => Question): Promise<Question> {
  const names = {
    ...optionNames,
    '`waste=true`': '--waste',
    '`next_cursor` of the page before': 'text that the page before names',
  };
  return namingOptions(async () => read(), names);
}

function printNothing(rows: string, { start, end }: Window): void {
  printNote(`No ${rows} match from ${start} to ${end}.`);
}

function printNext(cursor: string | null): void {
  if (cursor) printNote(`The next page: --cursor ${cursor}`);
}

function instant(at: Date | null): string {
  return at?.toISOString() ?? '-';
}

function seconds(value: number | null): string {
  return value === null ? '-' : formatDuration(value);
}

type DurationsOptions = FilteredOptions &
  Pick<DurationQuestion, 'of' | 'sort'> & { groupBy: string; csv?: boolean };

function addDurationsCommand(program: Command): void {
  program
    .command('durations')
    .description('show how long jobs or runs take and wait for a runner')
    .option('--group-by <names>', `one or two of ${dimensionNames.join(', ')}`, 'workflow')
    .addOption(new Option('--of <name>', 'what to look at').choices(['jobs', 'runs']).default('jobs'))
    .option(...daysOption)
    .option('--from <day>', 'first UTC day')
    .option('--to <day>', 'last UTC day')
    .option(...filterOption)
    .addOption(ownershipOption)
    .addOption(
      new Option('--sort <name>', 'order; - sorts downwards')
        .choices(durationSorts)
        .default('-total_minutes'),
    )
    .option('--limit <count>', 'groups to show, 1 to 1,000', wholeNumber(1, maxListed), 20)
    .option(...orgOption)
    .option('--json', 'print the data of GET /api/v1/durations')
    .addOption(new Option('--csv', 'print the answer as CSV').conflicts('json'))
    .addHelpText('after', durationsHelp)
    .action((options: DurationsOptions) => withApp((app) => showDurations(app, options)));
}

const durationsHelp = `${filterHelp}
P50 is the median: half of the jobs took this long or less. P95: 95% did.

Examples:
  runcost durations --group-by workflow --of runs
  runcost durations --group-by job,runner --filter repository=acme/api --sort -duration_p95
  runcost durations --group-by label --sort -queue_p95
`;

async function showDurations(app: App, options: DurationsOptions): Promise<void> {
  const ctx = await readerFor(app, options.org);
  const parameters = { ...parametersOf(options), group_by: options.groupBy };
  const question = await reading(() => readDurations(parameters, ctx));
  const durations = await getDurations(ctx, question);
  if (options.json) return printJson(durationsView(question, durations));
  if (options.csv) return void process.stdout.write(durationsCsv(question, durations));
  const { period, total, groups, groupCount } = durations;
  if (total.count === 0) return printNothing(`${question.of} that ended`, period);
  const names = groupByNames(question);
  const rowOf = (texts: string[], times: Times) => [
    ...texts,
    formatCount(times.count),
    ...[times.duration.p50, times.duration.p95, times.queue.p50, times.queue.p95].map(milliseconds),
    formatCount(Math.round(times.totalMilliseconds / 60_000)),
  ];
  printTable(
    [
      ...names.map((name) => name.replace('_', ' ').toUpperCase()),
      question.of.toUpperCase(),
      'P50',
      'P95',
      'QUEUE P50',
      'QUEUE P95',
      'MINUTES',
    ],
    [
      ...groups.map(({ values, ...times }) =>
        rowOf(
          values.map((value, index) => readableName(names[index]!, value, durations)),
          times,
        ),
      ),
      rowOf(
        names.map((_, index) => (index === 0 ? 'total' : '')),
        total,
      ),
    ],
  );
  printNote(`${period.start} to ${period.end}.`);
  printLeftOut(groups.length, groupCount, 'groups', maxListed);
}

function milliseconds(value: number | null): string {
  return seconds(value === null ? null : value / 1_000);
}

type WorkflowsOptions = Omit<FilteredOptions, 'limit'> & {
  metric: WorkflowsParameters['metric'];
  compare: WorkflowsParameters['compare'];
  sort: WorkflowsParameters['sort'];
  search?: string;
  waste: boolean;
  limit: number;
  csv?: boolean;
};

function addWorkflowsCommand(program: Command): void {
  program
    .command('workflows')
    .description('list the workflows with their costs, runs and durations')
    .option(...daysOption)
    .option('--from <day>', 'first UTC day')
    .option('--to <day>', 'last UTC day')
    .option(...filterOption)
    .option('--search <text>', 'part of the name of a workflow or repository')
    .addOption(ownershipOption)
    .addOption(
      new Option('--metric <name>', 'list or net cost').choices([...workflowMetrics]).default('cost'),
    )
    .addOption(compareOption())
    .option('--waste', 'show what each workflow wasted, which takes longer', false)
    .addOption(
      new Option('--sort <name>', 'order; - sorts downwards').choices(workflowSorts).default('-cost'),
    )
    .option('--limit <count>', 'workflows to show, 1 to 100', wholeNumber(1, maxWorkflows), 20)
    .option(...orgOption)
    .option('--json', 'print the answer of GET /api/v1/costs/workflows')
    .addOption(new Option('--csv', 'print all workflows as CSV').conflicts('json'))
    .addHelpText('after', workflowsHelp)
    .action((options: WorkflowsOptions) => withApp((app) => showWorkflows(app, options)));
}

const maxWorkflows = 100;

const workflowsHelp = `${filterHelp.replace('of --group-by', 'such as repository, team, branch, actor or event')}
Examples:
  runcost workflows --compare previous_period --sort -change
  runcost workflows --filter repository=acme/api --waste --sort -waste
`;

async function showWorkflows(app: App, options: WorkflowsOptions): Promise<void> {
  const ctx = await readerFor(app, options.org);
  const page = { page: 1, perPage: options.limit };
  const parameters = { ...parametersOf(options), granularity: 'total' as const };
  const question = await reading(() => readWorkflows(parameters, options.csv ? null : page, ctx));
  const waste = options.waste ? await getWorkflowWaste(ctx, question.window) : null;
  const costs = await getWorkflowCosts(ctx, question, waste);
  if (options.csv) return void process.stdout.write(workflowsCsv(question, costs));
  if (options.json) {
    const pagination = { total: costs.total.workflows, page: 1, per_page: options.limit };
    return printJson({ ...workflowsView(costs), pagination });
  }
  const { period, total, rows, workflows } = costs;
  if (total.workflows === 0) return printNothing('workflows', period);
  const cells = ({ value, previous, runs, wasteNanos }: WorkflowFigures) => [
    dollars(value),
    ...(previous === null ? [] : [signedDollars(value - previous), changePercentText(value, previous)]),
    runs ? formatCount(runs.runs) : '-',
    successInWords(runs && successRateOf(runs)),
    milliseconds(runs?.duration.p50 ?? null),
    milliseconds(runs?.duration.p95 ?? null),
    ...(options.waste ? [wasteNanos === null ? '-' : dollars(wasteNanos)] : []),
  ];
  printTable(
    [
      'WORKFLOW',
      'REPOSITORY',
      'COST',
      ...(costs.previousPeriod ? ['CHANGE', '%'] : []),
      'RUNS',
      'SUCCESS',
      'P50',
      'P95',
      ...(options.waste ? ['WASTE'] : []),
    ],
    [
      ...rows.map(({ workflowId, ...figures }) => {
        const { name = workflowId, repository = '' } = workflows.get(workflowId) ?? {};
        return [name, repository, ...cells(figures)];
      }),
      ['total', '', ...cells(total)],
    ],
  );
  printNote(`${period.start} to ${period.end}${comparedText(costs)}.`);
  printLeftOut(rows.length, total.workflows, 'workflows', maxWorkflows);
}

function successInWords(rate: number | null): string {
  return rate === null ? '-' : `${(100 * rate).toFixed(1)}%`;
}

export function addListCommands(program: Command): void {
  addJobCommands(program);
  addDurationsCommand(program);
  addWorkflowsCommand(program);
}

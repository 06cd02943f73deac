import type { Command } from 'commander';
import type { App } from '../app.ts';
import { commandLine } from '../config.ts';
import { type Backfill, type BackfillContext, isRepositoryName } from '../intake/backfills/backfill.ts';
import {
  backfillView,
  cancelBackfill,
  getBackfill,
  listBackfills,
  startBackfill,
} from '../intake/backfills/startBackfill.ts';
import { invalid, PublicError } from '../platform/lib/errors.ts';
import {
  type CommonOptions,
  contextFor,
  namingOptions,
  limitOption,
  type ListOptions,
  maxListed,
  orgOption,
  withApp,
} from './command.ts';
import { followTask } from './followTask.ts';
import { formatCount, printJson, printLeftOut, printNote, printTable } from './output.ts';

export function addBackfillCommands(program: Command): void {
  const backfill = program.command('backfill').description('read past and missed CI history');
  addGitHub(backfill);
  addWatch(backfill);
  addList(backfill);
  addCancel(backfill);
}

type GitHubOptions = {
  org?: string;
  repo: string[];
  since: string;
  until?: string;
  source?: string;
  json?: boolean;
};

const help = `
It uses GITHUB_TOKEN, or the credentials of a source (on the Sources page). A fine-grained token needs the repository
permission "Actions: read". Runs that are already recorded are completed and never counted twice.

Examples:
  GITHUB_TOKEN=github_pat_… runcost backfill github --repo acme/app acme/site --since 90d
  runcost backfill github --source src_… --repo acme/app --since 2026-01-01 --until 2026-03-31
`;

function addGitHub(backfill: Command): void {
  backfill
    .command('github')
    .description('read the workflow runs of GitHub repositories, with the jobs of all attempts')
    .requiredOption('--repo <owner/name...>', 'repositories, up to 100')
    .option('--since <time>', 'created since a day, an instant, or an age (90d, 36h)', '90d')
    .option('--until <time>', 'created until a day (included) or an instant')
    .option('--source <id>', 'source whose credentials to use instead of GITHUB_TOKEN')
    .option(...orgOption)
    .option('--json', 'print the backfill as JSON at the end')
    .addHelpText('after', help)
    .action((options: GitHubOptions) =>
      withApp(async (app) => {
        const ctx = await backfillContext(app, options.org);
        checkRepositories(options.repo);
        const { repo: repositories, since, until, source: sourceId } = options;
        const token = sourceId === undefined ? (app.config.gitHubToken ?? undefined) : undefined;
        const request = { repositories, since, until, sourceId, token };
        const started = await namingOptions(() => startBackfill(ctx, request), {
          source_id: '--source',
          'or the Sources page.': 'or the Sources page. Or set GITHUB_TOKEN for this command.',
        });
        await watch(ctx, started.id, options.json);
      }),
    );
}

function checkRepositories(repositories: string[]): void {
  const wrong = repositories.find((name) => !isRepositoryName(name));
  if (wrong !== undefined) throw invalid('--repo', `must be owner/name, not ${wrong}`);
  if (repositories.length > 100) throw invalid('--repo', 'takes at most 100 repositories');
}

function addWatch(backfill: Command): void {
  backfill
    .command('watch')
    .description('show the progress of a backfill, and continue it if no server does')
    .argument('<id>', 'bkf_… as `backfill list` shows it')
    .option(...orgOption)
    .option('--json', 'print the backfill as JSON at the end')
    .action((id: string, options: CommonOptions) =>
      withApp(async (app) => watch(await backfillContext(app, options.org), id, options.json)),
    );
}

function addList(backfill: Command): void {
  backfill
    .command('list')
    .description('list the latest backfills, including nightly checks')
    .option(...limitOption('backfills'))
    .option(...orgOption)
    .option('--json', 'print a JSON array')
    .action((options: ListOptions) =>
      withApp(async (app) => {
        const ctx = await backfillContext(app, options.org);
        const { backfills, total } = await listBackfills(ctx, { page: 1, perPage: options.limit });
        const views = backfills.map((row) => backfillView(row, app.clock.now()));
        if (options.json) return printJson(views);
        if (views.length === 0) return printNote('No backfills yet. Start one with `backfill github`.');
        printTable(
          ['BACKFILL', 'BEGAN', 'REPOSITORIES', 'SINCE', 'STATUS', 'RUNS'],
          views.map((view) => [
            view.id,
            view.created_at.toISOString(),
            repositoriesText(view.repositories),
            view.since.toISOString().slice(0, 10),
            view.waiting ? 'waiting' : view.status,
            `${formatCount(view.progress.done)}${view.progress.total === null ? '' : ` of ${formatCount(view.progress.total)}`}`,
          ]),
        );
        printLeftOut(views.length, total, 'backfills', maxListed);
      }),
    );
}

function repositoriesText([first, ...others]: string[]): string {
  return others.length === 0 ? (first ?? '') : `${first} and ${others.length} more`;
}

function addCancel(backfill: Command): void {
  backfill
    .command('cancel')
    .description('cancel a backfill; the recorded runs stay')
    .argument('<id>', 'bkf_… as `backfill list` shows it')
    .option(...orgOption)
    .option('--json', 'print the backfill as JSON')
    .action((id: string, options: CommonOptions) =>
      withApp(async (app) => {
        const cancelled = await cancelBackfill(await backfillContext(app, options.org), id);
        if (options.json) return printJson(backfillView(cancelled, app.clock.now()));
        console.log(cancelled.id);
      }),
    );
}

async function backfillContext(app: App, org: string | undefined) {
  const { actor } = await contextFor(app, org);
  return { ...app, actor, gitHubApiUrl: app.config.gitHubApiUrl };
}

/** Ctrl-C stops the progress display, not the backfill. */
async function watch(ctx: BackfillContext & Pick<App, 'config'>, id: string, asJson = false): Promise<void> {
  // Imported late, so that other commands start without GitHub's libraries.
  const { backfillPoller } = await import('../intake/backfills/doBackfill.ts');
  let printedWait = '';
  const { task, isStopped } = await followTask({
    clock: ctx.clock,
    poller: backfillPoller(ctx),
    unit: 'runs',
    name: 'backfill',
    shownBy: `${commandLine(ctx.config)} backfill watch ${id}`,
    read: () => getBackfill(ctx, id),
    note: (backfill, progress) => {
      const wait = waitText(backfillView(backfill, ctx.clock.now()));
      if (wait !== '' && wait !== printedWait) {
        progress.end();
        printNote(wait);
      }
      printedWait = wait;
    },
  });
  if (!isStopped) return finish(ctx, task, asJson);
  printNote(`Stopped. To continue: ${commandLine(ctx.config)} backfill watch ${id}`);
}

const waitTexts = {
  rate_limit: "GitHub's hourly request limit is used up: waiting",
  secondary_rate_limit: 'GitHub asks for slower requests: waiting',
};

function waitText({ waiting }: ReturnType<typeof backfillView>): string {
  if (!waiting) return '';
  const { reason, message, attempt, max_attempts: maxAttempts } = waiting;
  const until = waiting.until.toISOString();
  if (reason !== 'unreachable') return `${waitTexts[reason]} until ${until}.`;
  const what = `GitHub cannot be reached${message === null ? '' : ` (${message})`}.`;
  const tried = attempt === null ? '' : ` Attempt ${attempt} of ${maxAttempts} failed.`;
  return `${what}${tried} Next attempt: ${until}.`;
}

function printUnread({ unread_runs: runs, unread_count: total }: ReturnType<typeof backfillView>): void {
  for (const { repository, run_id: id, reason } of runs)
    printNote(`Run ${id} of ${repository} could not be read: ${reason}`);
  if (total > runs.length) printNote(`And ${formatCount(total - runs.length)} more runs could not be read.`);
}

function finish(ctx: BackfillContext, backfill: Backfill, asJson: boolean): void {
  const view = backfillView(backfill, ctx.clock.now());
  if (asJson) printJson(view);
  for (const { message } of asJson ? [] : view.problems) printNote(message);
  if (!asJson) printUnread(view);
  if (view.status === 'failed')
    throw new PublicError('unavailable', 'backfill_failed', view.error ?? 'The backfill failed.');
  const refused = new Set(
    backfill.state.problems.filter(({ isRefused }) => isRefused).map(({ repository }) => repository),
  );
  if (refused.size > 0) process.exitCode = 1;
  if (asJson) return;
  const { done, total } = view.progress;
  const ofTotal = total !== null && done < total ? ` of ${formatCount(total)}` : '';
  const count = `${formatCount(done)}${ofTotal} ${(total ?? done) === 1 ? 'run' : 'runs'}`;
  const what = view.status === 'done' ? 'Read' : 'Canceled after reading';
  const read = view.repositories.filter((repository) => !refused.has(repository));
  console.log(`${what} ${count} of ${repositoriesText(read)}.`);
}

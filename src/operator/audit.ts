import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { constants, hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { App } from '../app.ts';
import { withProgress } from '../cli/follow.ts';
import { printJson, printNote } from '../cli/output.ts';
import { wholeNumber } from '../cli/verbCommand.ts';
import { type Config, readConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { auditView, readAudit } from '../insight/audits/audit.ts';
import type { GitHubClient } from '../intake/backfills/gitHubClient.ts';
import { listByDate } from '../ledger/pricing/provider.ts';
import { type GitHubPlan, gitHubPlans } from '../ledger/pricing/publishedTerms.ts';
import { updatePricing } from '../ledger/pricing/settings.ts';
import { recordStorage, type RepositoryStorage } from '../ledger/storage/storage.ts';
import { createEgress, type Egress } from '../platform/egress/egress.ts';
import { cliActor } from '../platform/lib/actor.ts';
import { commandLine, startLine } from '../platform/lib/commandLine.ts';
import { addDays, dayOf, startOfDay } from '../platform/lib/days.ts';
import { invalid, PublicError } from '../platform/lib/errors.ts';
import { isRunning } from '../platform/lib/processes.ts';
import { systemClock } from '../platform/lib/time.ts';
import { createOrganization } from '../tenancy/organizations/organizations.ts';
import { printAudit } from './auditReport.ts';
import { serveAudit } from './serve.ts';
import { withApp } from './withApp.ts';

type AuditOptions = {
  days: number;
  maxMinutes: number;
  plan?: GitHubPlan;
  open?: boolean;
  keep?: string;
  json?: boolean;
};

const help = `
It asks GitHub with GITHUB_TOKEN, GH_TOKEN or the token of the GitHub CLI (gh auth login). A fine-grained token needs the
repository permission "Actions: read". Public repositories work without a token, with 60 requests an hour. Each run takes
one request; runs are read newest first.

Examples:
  runcost audit acme/app
  runcost audit acme --days 7 --max-minutes 10
  runcost audit acme/app --open
  runcost audit acme/app --json | jq '.waste.fixes[].yaml'
`;

export function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .argument('<name>', 'owner/name of a repository, or an organization', readTarget)
    .option('--days <count>', 'days up to today, 1 to 90', wholeNumber(1, 90), 30)
    .option('--max-minutes <count>', 'minutes to read for, 1 to 600', wholeNumber(1, 600), 1)
    .addOption(
      new Option('--plan <name>', 'GitHub plan whose included minutes the net cost takes off').choices(
        gitHubPlans,
      ),
    )
    .addOption(new Option('--open', 'serve the dashboard with these runs until Ctrl-C').conflicts('json'))
    .option('--keep <folder>', 'keep the runs in this new folder, to start a server there')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', help)
    .action(audit);
}

function readTarget(text: string): string {
  const name = text.replace(/^https:\/\/github\.com\//, '').replace(/(\.git|\/)$/, '');
  if (/^[A-Za-z0-9_-]{1,100}(\/(?!\.{1,2}$)[A-Za-z0-9_.-]{1,100})?$/.test(name)) return name;
  throw new InvalidArgumentError('It must be owner/name, or an owner.');
}

async function audit(target: string, options: AuditOptions): Promise<void> {
  const startedAt = Date.now();
  const settings = readConfig();
  const folder = openFolder(options.keep);
  const stopping = new AbortController();
  void folder.stopped.then(() => stopping.abort());
  const { signal } = stopping;
  const egress = createEgress(settings.egress);
  let isKept = false;
  try {
    const gitHub = await openGitHub(target, { egress, settings, signal });
    const time = options.maxMinutes * 60_000;
    // Only a quarter, because most of the bill is minutes.
    const stored = await readStored({ ...gitHub, deadline: new Date(startedAt + time / 4), signal });
    const deadline = new Date(startedAt + time - reserveMilliseconds);
    const config: Config = { ...settings, ...ownSettings, dataDir: folder.path };
    folder.take();
    isKept = await withApp(
      async (app) => {
        const ctx = await newOrganization(app, target);
        const read = await readRuns(app, ctx, { ...gitHub, deadline, signal, days: options.days });
        if (signal.aborted) return false;
        for (const each of stored.read) await recordStorage(app, ctx.actor.orgId, each);
        const { repositories } = gitHub;
        const storageProblems = stored.problems;
        const audited = { ...read, target, repositories, storageProblems, plan: options.plan ?? null };
        const report = await readAudit({ ...ctx, plan: 'team' }, audited);
        // Set only now, because the report itself subtracts included minutes from a whole month, which it knows
        // only in part.
        if (options.plan) await updatePricing(ctx, { included_minutes: { github_plan: options.plan } });
        if (options.json) printJson(auditView(report));
        else printAudit(report);
        if (options.open) {
          await serveAudit(app, ctx, folder.stopped);
          process.exitCode = 0;
        }
        return true;
      },
      { config, mayCreate: true },
    );
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await egress.close();
    folder.close({ isKept });
  }
  if (!isKept) return printNote('Stopped.');
  if (options.keep !== undefined) printGoOn({ ...settings, dataDir: folder.path });
}

/** Settings of an installation do not apply to this database, and its server may have the usual port. */
const ownSettings = { databaseUrl: null, encryptionKeys: [], smtp: null, publicUrl: null, port: 0 };

/** The part of the reading time that is reserved for the report. */
const reserveMilliseconds = 10_000;

const noTokenText =
  'No token: GitHub allows 60 requests an hour, enough for about 55 runs of a public repository. For private ' +
  'repositories and more runs, install the GitHub CLI and run `gh auth login`, or set GITHUB_TOKEN to a token ' +
  'with the repository permission "Actions: read" (https://github.com/settings/personal-access-tokens/new).';

const runFile = promisify(execFile);

/** Null if there is no GitHub CLI, or nobody is signed in there. */
async function tokenOfGitHubCli({ gitHubApiUrl }: Config): Promise<string | null> {
  const { host } = new URL(gitHubApiUrl);
  const args = ['auth', 'token', '--hostname', host === 'api.github.com' ? 'github.com' : host];
  try {
    const { stdout } = await runFile('gh', args, { timeout: 5_000 });
    return stdout.trim() || null;
  } catch {
    return null;
  }
}

/** Opens a new folder. Unless it is kept, the folder is removed at the end, after errors and on Ctrl-C. */
function openFolder(keep: string | undefined) {
  const path = keep === undefined ? newTemporaryFolder() : emptyFolder(keep);
  // Until the database is ours, another audit may have started one in a kept folder.
  let isOurs = keep === undefined;
  const remove = () =>
    isOurs ? rmSync(path, { recursive: true, force: true, maxRetries: 20 }) : removeIfEmpty(path);
  const first = Promise.withResolvers<NodeJS.Signals>();
  let signals = 0;
  const onSignal = (name: NodeJS.Signals) => {
    process.exitCode = 128 + constants.signals[name];
    first.resolve(name);
    // The first signal ends the work, which takes a moment.
    if (++signals > 1) process.exit();
  };
  process.on('exit', remove);
  for (const name of stopSignals) process.on(name, onSignal);
  return {
    path,
    stopped: first.promise,
    take: () => {
      // Reading from GitHub takes a moment, in which another program may have used the folder.
      if (keep !== undefined) emptyFolder(keep);
      isOurs = true;
    },
    close: ({ isKept }: { isKept: boolean }) => {
      process.off('exit', remove);
      for (const name of stopSignals) process.off(name, onSignal);
      if (keep === undefined || !isKept) remove();
    },
  };
}

function newTemporaryFolder(): string {
  removeAbandoned();
  return mkdtempSync(join(tmpdir(), `${ownPrefix}${process.pid}-`));
}

/** An empty text would mean the folder where the command runs. */
function emptyFolder(keep: string): string {
  if (keep === '') throw invalid('--keep', 'must name a folder');
  const path = resolve(keep);
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    if (readdirSync(path).length === 0) return path;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw invalid('--keep', `must be a folder that can be created: ${keep} (${code})`);
  }
  throw invalid('--keep', `must be a new or empty folder, not ${keep}`);
}

function removeIfEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Somebody has put something there meanwhile.
  }
}

/** Contains the host, because containers that share a folder do not share process ids. */
const ownPrefix = `runcost-audit-${hostname()}-`;

/** Removes folders of killed audits, but not those of other users. */
function removeAbandoned(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(ownPrefix) ? Number(name.slice(ownPrefix.length).split('-')[0]) : 0;
    if (!Number.isInteger(pid) || pid <= 0 || isRunning(pid)) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // The folder is not ours.
    }
  }
}

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

type GitHub = { client: GitHubClient; hasToken: boolean; repositories: string[]; isCut: boolean };

/** Runs before the database is created, so that a wrong name or token shows at once. */
async function openGitHub(
  target: string,
  { egress, settings, signal }: { egress: Egress; settings: Config; signal: AbortSignal },
): Promise<GitHub> {
  const token = settings.gitHubToken ?? (await tokenOfGitHubCli(settings));
  if (token === null) printNote(noTokenText);
  // Imported late, so that other commands start without GitHub's libraries.
  const [{ createGitHubClient }, { findRepositories }] = await Promise.all([
    import('../intake/backfills/gitHubClient.ts'),
    import('../intake/backfills/readNewest.ts'),
  ]);
  const connection = { egress, clock: systemClock, gitHubApiUrl: settings.gitHubApiUrl };
  const client = createGitHubClient(connection, token === null ? null : { kind: 'token', token });
  return { client, hasToken: token !== null, ...(await findRepositories(client, target, signal)) };
}

async function newOrganization(app: App, target: string): Promise<Context & Pick<App, 'log'>> {
  const [owner = target] = target.split('/');
  const ctx = { ...app, actor: cliActor(await createOrganization(app, { name: owner, login: owner })) };
  await updatePricing(ctx, { book_id: listByDate(ctx.providers, 'github').id });
  return ctx;
}

type Reading = GitHub & { deadline: Date; signal: AbortSignal; days: number };

async function readRuns(app: App, ctx: Context, { isCut, days, ...reading }: Reading) {
  const { readNewestRuns } = await import('../intake/backfills/readNewest.ts');
  const until = app.clock.now();
  const since = startOfDay(addDays(dayOf(until), 1 - days));
  const program = { ...app, gitHubApiUrl: app.config.gitHubApiUrl };
  const asked = { ...reading, orgId: ctx.actor.orgId, since, until };
  const runs = await withProgress({ total: null, unit: 'runs' }, (report) =>
    readNewestRuns(program, { ...asked, report }),
  );
  const { read, stoppedBy, problems } = runs;
  if (isCut) problems.push(`Only the ${reading.repositories.length} last pushed repositories were read.`);
  if (read === 0 && stoppedBy?.reason === 'unreachable')
    throw new PublicError('unavailable', 'unreachable', stoppedBy.message ?? 'GitHub could not be reached.');
  return { since, until, runs };
}

type StoredAsked = GitHub & {
  deadline: Date;
  signal: AbortSignal;
};

const maxStoredRepositories = 20;
/** Without a token, GitHub allows few requests. */
const maxPages = { withToken: 30, without: 5 };

/** What the last pushed repositories store. What stops it, such as a rate limit, is a problem and no error. */
async function readStored({ client, repositories, hasToken, deadline, signal }: StoredAsked) {
  const { readStorage } = await import('../intake/storageReadings/readStorage.ts');
  const read: RepositoryStorage[] = [];
  const problems: string[] = [];
  const pages = hasToken ? maxPages.withToken : maxPages.without;
  const chosen = repositories.slice(0, hasToken ? maxStoredRepositories : 1);
  for (const repository of chosen) {
    const now = systemClock.now();
    if (signal.aborted || now >= deadline) break;
    const reading = await readStorage({ client, repository, now, signal, maxPages: pages });
    if ('read' in reading) {
      read.push(reading.read);
      problems.push(...reading.read.problems);
    } else if (reading.obstacle.kind === 'refused') problems.push(reading.obstacle.message);
    else break;
  }
  const rest = repositories.length - read.length;
  if (rest > 0) problems.push(`The storage of ${rest} of ${repositories.length} repositories was not read.`);
  return { read, problems };
}

function printGoOn(config: Config): void {
  printNote(`
The runs are in ${config.dataDir}. To go on, start the server there, then print a link to sign in:
  ${startLine(config.dataDir)}
  ${commandLine(config)} sign-in`);
}

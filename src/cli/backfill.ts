import { readClientSettings } from '../config.ts';
import { follow } from './follow.ts';
import { formatCount, printNote, printTable } from './output.ts';
import type { Answer, Input, Session } from './session.ts';
import { firstOf } from './tables.ts';
import type { TailoredGroup } from './verbCommand.ts';

async function start(session: Session, input: Input): Promise<Answer> {
  const token = input['source_id'] === undefined ? readClientSettings().gitHubToken : null;
  const { id } = await session.call('backfill start', { ...input, ...(token !== null && { token }) });
  return watch(session, { id });
}

async function watch(session: Session, { id }: Input): Promise<Answer> {
  const input = { id };
  const ended = await follow(session, {
    get: 'backfill get',
    input,
    unit: 'runs',
    again: 'backfill watch',
    noteOf: waitText,
  });
  if (refusedOf(ended).size > 0) process.exitCode = 1;
  return ended;
}

function refusedOf(backfill: Answer): Set<string> {
  const problems = (backfill?.problems ?? []) as Answer[];
  return new Set(problems.filter((problem) => problem.is_refused).map(({ repository }) => repository));
}

const waitTexts: Record<string, string> = {
  rate_limit: "GitHub's hourly request limit is used up: waiting",
  secondary_rate_limit: 'GitHub asks for slower requests: waiting',
};

function waitText({ waiting }: Answer): string {
  if (!waiting) return '';
  const { reason, message, attempt, max_attempts: maxAttempts, until } = waiting;
  if (reason !== 'unreachable') return `${waitTexts[reason]} until ${until}.`;
  const what = `GitHub cannot be reached${message === null ? '' : ` (${message})`}.`;
  const tried = attempt === null ? '' : ` Attempt ${attempt} of ${maxAttempts} failed.`;
  return `${what}${tried} Next attempt: ${until}.`;
}

function print(backfill: Answer): void {
  const { problems, unread_runs: unread, unread_count: unreadCount, progress, status } = backfill;
  for (const { message } of problems) printNote(message);
  for (const { repository, run_id: id, reason } of unread)
    printNote(`Run ${id} of ${repository} could not be read: ${reason}`);
  if (unreadCount > unread.length)
    printNote(`And ${formatCount(unreadCount - unread.length)} more runs could not be read.`);
  const { done, total } = progress;
  const ofTotal = total !== null && done < total ? ` of ${formatCount(total)}` : '';
  const count = `${formatCount(done)}${ofTotal} ${(total ?? done) === 1 ? 'run' : 'runs'}`;
  const refused = refusedOf(backfill);
  const read = (backfill.repositories as string[]).filter((repository) => !refused.has(repository));
  console.log(`${status === 'done' ? 'Read' : 'Canceled after reading'} ${count} of ${firstOf(read)}.`);
}

async function importUsage(session: Session, input: Input): Promise<Answer> {
  const { id } = await session.call('usage import start', input);
  const noteOf = ({ waiting }: Answer) =>
    waiting ? `Waiting until ${waiting.until}: ${waiting.reason}` : '';
  return follow(session, { get: 'usage import get', input: { id }, unit: 'days', noteOf });
}

function printUsage({ jobs, jobs_added: added, runners }: Answer): void {
  printTable(
    ['RUNNER', 'JOBS', 'CREDITS', 'BY PRICE LIST', 'DIFFERING'],
    (runners as Answer[]).map((each) => [
      each.runner,
      formatCount(each.jobs),
      formatCount(each.credits),
      each.listed_credits === null
        ? `no price; about ${each.credits_per_minute}/min`
        : formatCount(each.listed_credits),
      formatCount(each.differing_jobs),
    ]),
  );
  printNote(`Read ${formatCount(jobs)} jobs; ${formatCount(added)} of them were not recorded before.`);
}

export const backfillCommands: TailoredGroup = {
  'backfill list': { empty: 'No backfills yet. Start one with `backfill github`.' },
  'backfill start': {
    words: 'backfill github',
    title: 'read the workflow runs of GitHub repositories, with the jobs of all attempts',
    options: { source_id: 'source', repositories: 'repo', token: 'GITHUB_TOKEN' },
    without: ['repositories', 'token'],
    defaults: { since: '90d' },
    more: (command) => command.requiredOption('--repo <owner/name...>', 'repositories, up to 100'),
    read: (input, { repo }) => ({ ...input, repositories: repo }),
    run: start,
    print,
    help: `
The server reads them with the credentials of a source (on the Sources page). If GITHUB_TOKEN or GH_TOKEN is set here, it uses
that token in place of them, unless --source names one, and keeps it only until the backfill ends. A fine-grained token
needs the repository permission "Actions: read". Runs that are already recorded are completed and never counted twice.

Examples:
  runcost backfill github --source src_… --repo acme/app --since 2026-01-01 --until 2026-03-31
  GITHUB_TOKEN=github_pat_… runcost backfill github --repo acme/app acme/site --since 90d`,
  },
  'backfill watch': {
    verb: 'backfill get',
    title: 'show the progress of a backfill until it ends',
    run: watch,
    print,
  },
  'usage import list': { empty: 'No imports yet. Start one with `usage import start`.' },
  'usage import start': {
    title: 'read the usage data of CircleCI, which names the runner of each job',
    options: { source_id: 'source' },
    defaults: { since: '30d' },
    run: importUsage,
    print: printUsage,
    help: `
The server reads it with the personal API token of a CircleCI source (on the Sources page), and does so every night.

Examples:
  runcost usage import start --since 90d`,
  },
  'usage import cancel': {
    print: ({ id }) => printNote(`Canceled ${id}; what was read stays.`),
  },
  'backfill cancel': {
    print: ({ id }) => printNote(`Canceled ${id}; the recorded runs stay.`),
  },
};

import { follow } from './follow.ts';
import { formatCount, printLeftOut, printNote, printTable, printWrapped } from './output.ts';
import type { Answer, Input, Session } from './session.ts';
import { dollarsOf } from './tables.ts';
import { maxRows, type Options, type TailoredGroup } from './verbCommand.ts';

async function start(session: Session, input: Input, { repo }: Options): Promise<Answer> {
  const { id } = await session.call('storage reading start', {
    ...input,
    repositories: repo,
  });
  const reading = await follow(session, { get: 'storage reading get', input: { id }, unit: 'repositories' });
  if (reading?.problems.length > 0) process.exitCode = 1;
  return reading;
}

function printReading({ problems, progress, status }: Answer): void {
  for (const { message } of problems) printNote(message);
  const count = `${formatCount(progress.done)} ${progress.done === 1 ? 'repository' : 'repositories'}`;
  console.log(`${status === 'done' ? 'Read' : 'Canceled after reading'} ${count}. See them: storage list`);
}

function printStorage({ data, pagination }: Answer): void {
  const { repositories, items, included } = data;
  if (repositories.length === 0)
    return printNote(
      'Nothing is read yet. `storage read` reads it; it needs a source with credentials (Actions: read).',
    );
  console.log(
    `${gigabytes(data.artifact_gb)} of artifacts, ${gigabytes(data.cache_gb)} of caches: ` +
      `${dollarsOf(data.cost_per_month)} a month, ${dollarsOf(data.cost_this_month)} this month so far.`,
  );
  if (included)
    printNote(`GitHub ${included.github_plan} includes ${included.gb} GB of artifacts, not taken off here.`);
  console.log(`\nThese changes save up to ${dollarsOf(data.saving_per_month)} a month at list prices.`);
  printTable(
    ['REPOSITORY', 'WORKFLOW', 'KIND', 'NAME', 'COUNT', 'GB', 'A MONTH', 'DAYS', 'SAVES'],
    (items as Answer[]).map((item) => [
      item.repository,
      item.workflow ?? (item.kind === 'cache' ? '' : 'not recorded'),
      item.kind,
      item.ref === null ? item.name : `${item.name} (${item.ref})`,
      formatCount(item.count),
      Number(item.gb).toFixed(2),
      dollarsOf(item.cost_per_month),
      String(item.retention_days ?? ''),
      dollarsOf(item.saving_per_month),
    ]),
  );
  for (const { repository, name, fix, saving_per_month: saving } of (items as Answer[]).filter(
    (item) => item.fix,
  )) {
    printWrapped(`\n${dollarsOf(saving)} a month: ${repository}, ${name}`, 0);
    printWrapped(fix.text, 2);
    console.log(fix.yaml.trimEnd().replaceAll(/^/gm, '    '));
    if (fix.command !== null)
      console.log(`  To remove what is stored already, from any workflow:\n    ${fix.command}`);
  }
  for (const { problems } of repositories as Answer[]) for (const problem of problems) printNote(problem);
  printLeftOut(items.length, pagination.total, 'items', maxRows);
}

const gigabytes = (amount: Answer): string => `${Number(amount).toFixed(2)} GB`;

export const storageCommands: TailoredGroup = {
  'storage list': {
    title: 'list artifacts and caches by workflow, what they cost, and what to change',
    options: { workflow_id: 'workflow' },
    limit: 20,
    print: printStorage,
    help: `
Examples:
  runcost storage list --repo acme/app
  runcost storage list --json | jq -r '.[].fix.yaml // empty'`,
  },
  'storage reading start': {
    words: 'storage read',
    title: 'read the artifacts and caches of repositories from GitHub',
    options: { source_id: 'source', repositories: 'repo' },
    without: ['repositories'],
    more: (command) => command.option('--repo <owner/name...>', 'repositories, up to 200'),
    run: start,
    print: printReading,
    help: `
Without --repo, it reads all repositories that the GitHub App may read, or those with runs in the last 30 days. Sources with
credentials are also read once a day.`,
  },
  'storage readings': {
    verb: 'storage reading list',
    empty: 'No readings yet. Start one with `storage read`.',
  },
  'storage reading cancel': { words: 'storage cancel', print: ({ id }) => printNote(`Canceled ${id}.`) },
};

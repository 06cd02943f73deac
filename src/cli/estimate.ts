import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Estimate, EstimateQuestion } from '../insight/estimates/estimate.ts';
import { estimateMarkdown, isUnrecorded, unrecordedText } from '../insight/estimates/markdown.ts';
import { estimateOf, estimateView, type EstimateAnswer } from '../insight/estimates/views.ts';
import { PublicError } from '../platform/lib/errors.ts';
import { toNanos, type Nanos } from '../platform/lib/money.ts';
import { oneLine, repositoryName } from '../platform/lib/text.ts';
import { estimateProviders, readEstimateQuestion } from './estimateQuestion.ts';
import { CommandError } from './faults.ts';
import {
  dollars,
  printError,
  printJson,
  printNote,
  printTable,
  printWrapped,
  signedDollars,
  withoutCommands,
} from './output.ts';
import { openSession, type Session } from './session.ts';
import { addTargetOptions, wholeNumber } from './verbCommand.ts';

type EstimateOptions = {
  base?: string;
  head?: string;
  repository?: string;
  provider?: string;
  days: number;
  failAbove?: string;
  allowUnknown?: boolean;
  url?: string;
  token?: string;
  context?: string;
  org?: string;
  json?: boolean;
  markdown?: boolean;
};

export function addEstimateCommand(program: Command): void {
  const command = program
    .command('estimate')
    .description('estimate what a change of workflow files costs or saves a month')
    .option(
      '--base <folder or ref>',
      'before the change; where the branch left the default branch by default',
    )
    .option('--head <folder or ref>', 'with the change; the working tree by default')
    .option(
      '--repository <owner/name>',
      'whose recorded runs count; that of the git remote origin by default',
      readRepository,
    )
    .addOption(
      new Option('--provider <name>', 'whose workflow files to read; by the files by default').choices(
        estimateProviders,
      ),
    )
    .option('--days <count>', 'days that the amounts are for, 1 to 90', wholeNumber(1, 90), 30)
    .option('--fail-above <amount>', 'exit with 2 if the change costs more US dollars than this')
    .option(
      '--allow-unknown',
      'judge what has an amount, also of an unknown repository; else the rest exits with 3',
    )
    .option('--token <token>', 'token of an organization there, in place of RUNCOST_TOKEN')
    .addOption(new Option('--json', 'print the data of POST /api/v1/estimates').conflicts('markdown'))
    .option('--markdown', 'print a comment for a pull request');
  addTargetOptions(command)
    .addHelpText('after', help)
    .action((options: EstimateOptions) => estimate(options).catch(withExitCode1));
}

const help = `
Reads .github/workflows and .gitlab-ci.yml of both revisions. Never runs anything.

Examples:
  runcost estimate
  runcost estimate --base main --head my-branch --fail-above 50
  runcost estimate --url https://runcost.example.com --markdown > comment.md
`;

function readRepository(text: string): string {
  if (repositoryName.test(text)) return text;
  throw new InvalidArgumentError('It must be owner/name.');
}

function readAmount(text: string): Nanos {
  const nanos = /^\d+(\.\d+)?$/.test(text) ? toNanos(Number(text)) : null;
  if (nanos === null) throw new CommandError('--fail-above must be an amount such as 50 or 12.50.');
  return nanos;
}

async function estimate(options: EstimateOptions): Promise<void> {
  const failAbove = options.failAbove === undefined ? undefined : readAmount(options.failAbove);
  const asked = await readEstimateQuestion({ ...options, folder: '.' });
  // Readers of a comment may not be allowed to see other repositories.
  const question = { ...asked, isOfOwnJobsOnly: options.markdown === true };
  const found = await answerTo(question, options);
  if (options.json) printJson(estimateView(found));
  else if (options.markdown) process.stdout.write(withoutCommands(estimateMarkdown(found)));
  else print(found);
  if (found.note !== null) noteUnknown(found.note, options);
  if (failAbove !== undefined) judge(found, { ...options, failAbove }, question);
}

/** A new repository is normal, but a name that was given may be mistyped. */
function noteUnknown(note: string, { repository, allowUnknown = false, failAbove }: EstimateOptions): void {
  if (allowUnknown || (repository === undefined && failAbove === undefined)) return printNote(note);
  printError(new PublicError('not_found', 'repository_unknown', note));
  process.exitCode = exitCodes.unknown;
}

/** A CI job must not take a fault for a result. */
function withExitCode1(error: unknown): never {
  if (!(error instanceof Error)) throw error;
  throw error instanceof CommandError || error instanceof PublicError
    ? new CommandError(error.message, 'fault', { cause: error })
    : error;
}

const exitCodes = { above: 2, unknown: 3 };

function judge(
  found: Estimate,
  { failAbove, allowUnknown = false }: { failAbove: Nanos; allowUnknown?: boolean },
  question: EstimateQuestion,
): void {
  const fail = (code: keyof typeof exitCodes, message: string) => {
    printError(new PublicError('conflict', `${code}_limit`, message));
    process.exitCode = exitCodes[code];
  };
  const { nanos } = found.change;
  if (found.note !== null && !allowUnknown) return;
  if (nanos > failAbove)
    return fail('above', `The change costs ${dollars(nanos)}, which is above ${dollars(failAbove)}.`);
  const unknown = allowUnknown ? [] : unknownIn(found, question);
  if (unknown.length === 0) return;
  const first = unknown[0]!;
  const more = unknown.length > 1 ? ` and ${unknown.length - 1} more` : '';
  fail(
    'unknown',
    `What ${first}${more} will cost is unknown. With --allow-unknown, only known amounts count.`,
  );
}

/** Changed jobs without an amount, and changed files without any known job. */
function unknownIn({ jobs, unresolved }: Estimate, { base, head }: EstimateQuestion): string[] {
  const contentOf = ({ files }: EstimateQuestion['base'], path: string) =>
    files.find((file) => file.path === path)?.content;
  const changed = jobs.filter(({ status, change }) => status !== 'unchanged' && change === null);
  const files = unresolved.filter(
    ({ path, job }) =>
      job === null &&
      contentOf(base, path) !== contentOf(head, path) &&
      !jobs.some((each) => each.path === path),
  );
  return [
    ...changed.map(({ workflow, job }) => oneLine(`${workflow} / ${job}`)),
    ...new Set(files.map(({ path }) => oneLine(path))),
  ];
}

async function answerTo(question: EstimateQuestion, options: EstimateOptions): Promise<Estimate> {
  const session = sessionIfAny(options);
  if (!session) {
    const { estimateWithoutServer } = await import('./withoutServer.ts');
    return estimateWithoutServer(question, options.org);
  }
  const { isOfOwnJobsOnly = false, ...body } = question;
  const { orgId } = session.target();
  const response = await session.send({
    method: 'POST',
    path: `/api/v1/estimates${orgId === null ? '' : `?org_id=${orgId}`}`,
    body: { ...body, ...(isOfOwnJobsOnly && { own_jobs_only: true }) },
    optionOf: (field) => `--${field}`,
  });
  return estimateOf(((await response.json()) as { data: EstimateAnswer }).data);
}

/** A machine whose server does not run can answer from its database. */
function sessionIfAny(options: EstimateOptions): Session | null {
  try {
    return openSession(options);
  } catch (error) {
    if (error instanceof CommandError && error.kind === 'away') return null;
    throw error;
  }
}

function print(found: Estimate): void {
  const { base, head, change, days, jobs, assumptions, unresolved } = found;
  const isEmpty = isUnrecorded(found);
  const changed = jobs.filter(({ status }) => status !== 'unchanged');
  if (changed.length > 0) {
    printTable(
      ['JOB', 'STATUS', 'RUNNER', 'BEFORE', 'AFTER', 'CHANGE', 'LIKELY RANGE'],
      changed.map((job) => [
        `${job.workflow} / ${job.job}`,
        job.status,
        [job.runnerBefore, job.runner].filter((runner) => runner !== null).join(' → '),
        job.base && !isEmpty ? dollars(job.base.nanos) : '–',
        job.head && !isEmpty ? dollars(job.head.nanos) : '–',
        isEmpty
          ? 'unknown'
          : job.change
            ? signedDollars(job.change.nanos)
            : job.isUnpriced
              ? 'no price'
              : 'unknown',
        job.change && !isEmpty
          ? `${signedDollars(job.change.lowNanos)} to ${signedDollars(job.change.highNanos)}`
          : '–',
      ]),
    );
    console.log();
  }
  const range = `likely ${signedDollars(change.lowNanos)} to ${signedDollars(change.highNanos)}`;
  const total = `${dollars(head.nanos)} instead of ${dollars(base.nanos)}`;
  if (changed.length === 0) console.log('No workflow changes.');
  else if (isEmpty) printWrapped(`${unrecordedText(found)}.`, 0);
  else printWrapped(`${signedDollars(change.nanos)} in ${days} days (${range}): ${total}.`, 0);
  printList(
    'Estimated from',
    changed.map(({ workflow, job, basis }) => `${workflow} / ${job}: ${basis.text}`),
  );
  printList('Assumptions', assumptions);
  printList(
    'Could not be resolved',
    unresolved.map(({ path, job, reason }) =>
      [path, job, reason].filter((part) => part !== null).join(' – '),
    ),
  );
}

function printList(title: string, lines: readonly string[]): void {
  if (lines.length === 0) return;
  console.log(`\n${title}:`);
  for (const line of lines) printWrapped(line, 2);
}

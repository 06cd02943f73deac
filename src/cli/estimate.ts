import { Option, type Command } from 'commander';
import { readChange } from '../intake/revisions/readChange.ts';
import { operationOf } from '../operations.ts';
import { dollars, signedDollars } from '../platform/lib/amountTexts.ts';
import { InvalidFields } from '../platform/lib/errors.ts';
import { toNanos, type Nanos } from '../platform/lib/money.ts';
import { oneLine } from '../platform/lib/text.ts';
import { CommandError } from './faults.ts';
import { printError, printJson, printNote, printTable, printWrapped, withoutCommands } from './output.ts';
import { openSession, type Answer, type Session } from './session.ts';
import { dollarsOf, nanosOf } from './tables.ts';
import type { TargetOptions } from './target.ts';
import { addTargetOptions, wholeNumber } from './verbCommand.ts';

type EstimateOptions = TargetOptions & {
  base?: string;
  head?: string;
  repository?: string;
  provider?: string;
  days: number;
  failAbove?: string;
  allowUnknown?: boolean;
  json?: boolean;
  markdown?: boolean;
};

type Change = Awaited<ReturnType<typeof readChange>>;
type Question = Change & { days: number; own_jobs_only: boolean };
/** Answers on the machine of the database while no server runs there. */
type EstimateHere = (question: Question, org: string | undefined) => Promise<Answer>;

const { choices: providers } = operationOf('estimate get').fields.find(({ name }) => name === 'provider')!;

export function addEstimateCommand(program: Command, estimateHere: EstimateHere): void {
  const command = program
    .command('estimate')
    .option(
      '--base <folder or ref>',
      'before the change; where the branch left the default branch by default',
    )
    .option('--head <folder or ref>', 'with the change; the working tree by default')
    .option(
      '--repository <owner/name>',
      'whose recorded runs count; that of the git remote origin by default',
    )
    .addOption(
      new Option('--provider <name>', 'whose workflow files to read; by the files by default').choices(
        providers!,
      ),
    )
    .option('--days <count>', 'days that the amounts are for, 1 to 90', wholeNumber(1, 90), 30)
    .option('--fail-above <amount>', 'exit with 6 if the change costs more US dollars than this')
    .option(
      '--allow-unknown',
      'judge what has an amount, also of an unknown repository; else the rest exits with 7',
    )
    .option('--token <token>', 'token of an organization there, in place of RUNCOST_TOKEN')
    .addOption(new Option('--json', 'print the data of POST /api/v1/estimates').conflicts('markdown'))
    .option('--markdown', 'print a comment for a pull request');
  addTargetOptions(command)
    .addHelpText('after', help)
    .action((options: EstimateOptions) => estimate(options, estimateHere));
}

const help = `
Reads .github/workflows and .gitlab-ci.yml of both revisions. Never runs anything.

Examples:
  runcost estimate
  runcost estimate --base main --head my-branch --fail-above 50
  runcost estimate --url https://runcost.example.com --markdown > comment.md
`;

function readAmount(text: string): Nanos {
  const nanos = /^\d+(\.\d+)?$/.test(text) ? toNanos(Number(text)) : null;
  if (nanos === null) throw new CommandError('--fail-above must be an amount such as 50 or 12.50.', 'usage');
  return nanos;
}

async function estimate(options: EstimateOptions, estimateHere: EstimateHere): Promise<void> {
  const failAbove = options.failAbove === undefined ? undefined : readAmount(options.failAbove);
  const change = await readChange({ ...options, folder: '.' }).catch((error: unknown) => {
    throw error instanceof InvalidFields ? error.named((field) => `--${field}`) : error;
  });
  // Readers of a comment may not be allowed to see other repositories.
  const question = { ...change, days: options.days, own_jobs_only: options.markdown === true };
  const session = sessionIfAny(options);
  const found = await (session?.call('estimate get', question) ?? estimateHere(question, options.org));
  if (options.json) printJson(found);
  else if (options.markdown) process.stdout.write(withoutCommands(found.markdown as string));
  else print(found);
  if (found.note !== null) noteUnknown(found.note, options);
  if (failAbove !== undefined) judge(found, { ...options, failAbove }, change);
}

/** A new repository is normal, but a name that was given may be mistyped. */
function noteUnknown(note: string, { repository, allowUnknown = false, failAbove }: EstimateOptions): void {
  if (allowUnknown || (repository === undefined && failAbove === undefined)) return printNote(note);
  printError(new CommandError(note));
  process.exitCode = exitCodes.unknown;
}

/** Other than those of faults, which a CI job must not take for a result. */
const exitCodes = { above: 6, unknown: 7 };

function judge(
  found: Answer,
  { failAbove, allowUnknown = false }: { failAbove: Nanos; allowUnknown?: boolean },
  change: Change,
): void {
  const fail = (code: keyof typeof exitCodes, message: string) => {
    printError(new CommandError(message));
    process.exitCode = exitCodes[code];
  };
  const nanos = nanosOf(found.change.monthly_cost);
  if (found.note !== null && !allowUnknown) return;
  if (nanos > failAbove)
    return fail('above', `The change costs ${dollars(nanos)}, which is above ${dollars(failAbove)}.`);
  const [first, ...others] = allowUnknown ? [] : unknownIn(found, change);
  if (first === undefined) return;
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  fail(
    'unknown',
    `What ${first}${more} will cost is unknown. With --allow-unknown, only known amounts count.`,
  );
}

/** Changed jobs without an amount, and changed files without any known job. */
function unknownIn({ jobs, unresolved }: Answer, { base, head }: Change): string[] {
  const contentOf = ({ files }: Change['base'], path: string) =>
    files.find((file) => file.path === path)?.content;
  const changed = jobs.filter(({ status, change }: Answer) => status !== 'unchanged' && change === null);
  const files = unresolved.filter(
    ({ path, job }: Answer) =>
      job === null &&
      contentOf(base, path) !== contentOf(head, path) &&
      !jobs.some((each: Answer) => each.path === path),
  );
  return [
    ...changed.map(({ workflow, job }: Answer) => oneLine(`${workflow} / ${job}`)),
    ...new Set<string>(files.map(({ path }: Answer) => oneLine(path))),
  ];
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

const signed = (amount: Answer): string => signedDollars(nanosOf(amount));
const rangeOf = ({ low, high }: Answer): string => `${signed(low)} to ${signed(high)}`;

function print(found: Answer): void {
  const { base, head, change, days, period, assumptions, unresolved } = found;
  // $0.00 would look like a known amount.
  const isEmpty =
    found.recorded_jobs === 0 && [base, head].every(({ monthly_cost: cost }) => nanosOf(cost) === 0n);
  const amountOf = (amount: Answer): string => (amount && !isEmpty ? dollarsOf(amount.monthly_cost) : '–');
  const changed: Answer[] = found.jobs.filter(({ status }: Answer) => status !== 'unchanged');
  if (changed.length > 0) {
    printTable(
      ['JOB', 'STATUS', 'RUNNER', 'BEFORE', 'AFTER', 'CHANGE', 'LIKELY RANGE'],
      changed.map(({ workflow, job, status, runner, ...each }) => {
        const isKnown = each.change && !isEmpty;
        return [
          `${workflow} / ${job}`,
          status,
          [each.runner_before, runner].filter((name) => name !== null).join(' → '),
          amountOf(each.base),
          amountOf(each.head),
          isKnown ? signed(each.change.monthly_cost) : each.is_unpriced && !isEmpty ? 'no price' : 'unknown',
          isKnown ? rangeOf(each.change) : '–',
        ];
      }),
    );
    console.log();
  }
  const total = `${dollarsOf(head.monthly_cost)} instead of ${dollarsOf(base.monthly_cost)}`;
  const { start, end } = period;
  if (changed.length === 0) console.log('No workflow changes.');
  else if (isEmpty)
    printWrapped(
      `What CI costs is not known: no job of the repository is recorded from ${start} to ${end}.`,
      0,
    );
  else
    printWrapped(`${signed(change.monthly_cost)} in ${days} days (likely ${rangeOf(change)}): ${total}.`, 0);
  printList(
    'Estimated from',
    changed.map(({ workflow, job, basis }) => `${workflow} / ${job}: ${basis}`),
  );
  printList('Assumptions', assumptions);
  printList(
    'Could not be resolved',
    unresolved.map(({ path, job, reason }: Answer) =>
      [path, job, reason].filter((part) => part !== null).join(' – '),
    ),
  );
}

function printList(title: string, lines: readonly string[]): void {
  if (lines.length === 0) return;
  console.log(`\n${title}:`);
  for (const line of lines) printWrapped(line, 2);
}

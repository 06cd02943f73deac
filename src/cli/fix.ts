import { readFileSync } from 'node:fs';
import { signedDollars } from '../platform/lib/amountTexts.ts';
import { CommandError, exitCodes } from './faults.ts';
import { printNote } from './output.ts';
import type { Answer, Input } from './session.ts';
import { nanosOf } from './tables.ts';
import type { Options, TailoredGroup } from './verbCommand.ts';

/** Paths are those of the repository, whose folder this is. */
function withFiles(input: Input, { file }: Options): Input {
  if (file === undefined) return input;
  const files = (file as string[]).map((path) => ({
    path: path.replace(/^\.\//, ''),
    content: contentOf(path),
  }));
  return { ...input, files };
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandError(`--file: ${(error as Error).message}`, 'usage');
  }
}

/** Only the patch goes to the standard output, so that a file or `git apply` can take it. */
function printPatch({ diff, changed, by_hand: byHand, estimate }: Answer): void {
  process.stdout.write(diff);
  for (const text of changed as string[]) printNote(text);
  for (const { text, path, line, reason, yaml } of byHand as Answer[]) {
    const place = path === null ? '' : `${path}${line === null ? '' : `:${line}`}: `;
    printNote(`Left to you: ${text}\n  ${place}${reason}`);
    if (yaml !== null) printNote(yaml.trimEnd().replaceAll(/^/gm, '    '));
  }
  if (estimate) {
    const { monthly_cost: cost, low, high } = estimate;
    const [change, from, to] = [cost, low, high].map((amount) => signedDollars(nanosOf(amount)));
    printNote(`Estimate of the change: ${change} in 30 days (likely ${from} to ${to}).`);
  }
  if (diff === '') process.exitCode = exitCodes.fault;
}

export const fixCommands: TailoredGroup = {
  'fix patch': {
    words: 'fix',
    title: 'print a fix as a patch for `git apply`',
    options: { id: 'fix' },
    without: ['files'],
    more: (command) =>
      command.option(
        '--file <path...>',
        'workflow files below .github/workflows of this folder, if no GitHub App can read them',
      ),
    read: withFiles,
    print: printPatch,
    help: `
The ids are those of \`waste fixes\` and \`storage list\`. What is left to you is printed as errors are, and the exit code is 1
if nothing changes.

Examples:
  runcost fix wf_e18db5f418965475a75a.superseded > fix.patch
  runcost fix wf_e18db5f418965475a75a.failed | git apply`,
  },
  'fix open': {
    title: 'open a pull request with a fix, by the GitHub App',
    options: { id: 'fix' },
    print: ({ url, state, is_new: isNew }) =>
      console.log(
        isNew
          ? `Opened ${url}`
          : state === 'open'
            ? `An earlier request opened ${url}`
            : `Somebody closed ${url} without a merge. Reopen it at GitHub if you want the fix.`,
      ),
  },
  'workflow-file list': {
    words: 'fix files',
    title: 'list the workflow files of a repository, as a GitHub App reads them',
  },
};

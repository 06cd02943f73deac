import { InvalidArgumentError, Option, type Command } from 'commander';
import { listSources } from '../intake/reception/sources.ts';
import {
  changeSettings,
  commentView,
  getSettings,
  listComments,
  settingsView,
  type PullRequestSettings,
} from '../outreach/pullRequestComments/settings.ts';
import { exactDollars } from '../platform/lib/amountTexts.ts';
import { contextFor, namingOptions, orgOption, withApp, type CommonOptions } from './command.ts';
import { printJson, printNote, printTable } from './output.ts';

export function addPullRequestCommands(program: Command): void {
  const pullRequest = program
    .command('pull-request')
    .description('comments and checks that the GitHub App keeps on pull requests');
  addSettings(pullRequest);
  addComments(pullRequest);
}

type SettingsOptions = CommonOptions & { on?: boolean; off?: boolean; failAbove?: number; limit: boolean };

function addSettings(pullRequest: Command): void {
  pullRequest
    .command('settings')
    .description('show or change whether the App comments, and when its check fails')
    .option('--on', 'comment on pull requests and set a check')
    .addOption(new Option('--off', 'do neither').conflicts('on'))
    .addOption(
      new Option(
        '--fail-above <amount>',
        'US dollars: the check fails if a pull request costs more',
      ).argParser(readAmount),
    )
    .addOption(new Option('--no-limit', 'let the check never fail').conflicts('failAbove'))
    .option(...orgOption)
    .option('--json', 'print the settings as JSON')
    .action(({ on, off, failAbove, limit, ...options }: SettingsOptions) =>
      withApp(async (app) => {
        const ctx = await contextFor(app, options.org);
        const change = {
          ...((on || off) && { enabled: on === true }),
          ...(failAbove !== undefined && { fail_above: failAbove }),
          ...(!limit && { fail_above: null }),
        };
        const settings =
          Object.keys(change).length === 0
            ? await getSettings(ctx)
            : await namingOptions(() => changeSettings(ctx, change), { fail_above: '--fail-above' });
        if (options.json) return printJson(settingsView(settings));
        console.log(inWords(settings));
        if (settings.isEnabled && !(await listSources(ctx)).some(({ hasAppKey }) => hasAppKey))
          printNote(withoutApp);
      }),
    );
}

const withoutApp = 'No GitHub App is connected yet, so nothing is written: connect one on the page Sources.';

function readAmount(text: string): number {
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Write US dollars as a plain number, such as 5 or 2.50.');
}

function inWords({ isEnabled, failAbove }: PullRequestSettings): string {
  if (!isEnabled) return 'Comments on pull requests are off.';
  const check =
    failAbove === null ? 'Its check never fails.' : `Its check fails above ${exactDollars(failAbove)}.`;
  return `The App comments on pull requests. ${check}`;
}

function addComments(pullRequest: Command): void {
  pullRequest
    .command('comments')
    .description('list the latest comments, with the reason where one could not be written')
    .option(...orgOption)
    .option('--json', 'print a JSON array')
    .action((options: CommonOptions) =>
      withApp(async (app) => {
        const comments = await listComments(await contextFor(app, options.org));
        if (options.json) return printJson(comments.map(commentView));
        if (comments.length === 0)
          return printNote('No comments yet. `pull-request settings --on` turns them on.');
        printTable(
          ['PULL REQUEST', 'STATUS', 'WRITTEN', 'REASON'],
          comments.map(({ repository, number, status, writtenAt, lastError, note, isCommentDeleted }) => [
            `${repository}#${number}`,
            status,
            writtenAt?.toISOString() ?? '-',
            [lastError, note, isCommentDeleted && 'Somebody deleted the comment.'].filter(Boolean).join(' '),
          ]),
        );
      }),
    );
}

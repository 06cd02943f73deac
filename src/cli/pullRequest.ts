import { Option } from 'commander';
import { exactDollars } from '../platform/lib/amountTexts.ts';
import { printNote } from './output.ts';
import type { Answer, Input, Session } from './session.ts';
import { addOnAndOff, enabledOf } from './switches.ts';
import { nanosOf } from './tables.ts';
import type { TailoredGroup } from './verbCommand.ts';

async function showOrChange(session: Session, change: Input): Promise<Answer> {
  if (Object.keys(change).length === 0) return session.call('pull-request settings get');
  const changed = await session.call('pull-request settings update', change);
  const sources = changed.enabled ? ((await session.call('source list')) as Answer[]) : [];
  if (changed.enabled && !sources.some((source) => source.has_app_key))
    printNote('No GitHub App is connected yet, so nothing is written: connect one on the page Sources.');
  return changed;
}

function inWords({ enabled, fail_above: limit }: Answer): string {
  if (!enabled) return 'Comments on pull requests are off.';
  const check =
    limit === null ? 'Its check never fails.' : `Its check fails above ${exactDollars(nanosOf(limit))}.`;
  return `The App comments on pull requests. ${check}`;
}

const addOnOrOff = addOnAndOff('comment on pull requests and set a check', 'do neither');

export const pullRequestCommands: TailoredGroup = {
  'pull-request settings update': {
    words: 'pull-request settings',
    title: 'show or change whether the GitHub App comments on pull requests, and when its check fails',
    also: ['pull-request settings get'],
    without: ['enabled'],
    more: (command) =>
      addOnOrOff(command).addOption(
        new Option('--no-limit', 'let the check never fail').conflicts('failAbove'),
      ),
    read: (input, { limit, ...options }) => ({
      ...input,
      ...enabledOf(options),
      ...((limit as unknown) === false && { fail_above: null }),
    }),
    run: showOrChange,
    print: (settings) => console.log(inWords(settings)),
  },
  'pull-request comment list': {
    words: 'pull-request comments',
    title: 'list the latest comments, with the reason where one could not be written',
    empty: 'No comments yet. `pull-request settings --on` turns them on.',
  },
};

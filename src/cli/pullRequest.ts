import { Option } from 'commander';
import { exactDollars } from '../platform/lib/amountTexts.ts';
import { percentOf } from '../platform/lib/money.ts';
import { printNothing } from './costs.ts';
import { filtered, filterHelp } from './filters.ts';
import { percentText } from './groupTable.ts';
import { formatCount, printLeftOut, printNote, printTable } from './output.ts';
import type { Answer, Input, Session } from './session.ts';
import { addOnAndOff, enabledOf } from './switches.ts';
import { dollarsOf, nanosOf } from './tables.ts';
import { maxRows, type TailoredGroup } from './verbCommand.ts';

async function showOrChange(session: Session, change: Input): Promise<Answer> {
  if (Object.keys(change).length === 0) return session.call('pull-request settings get');
  const changed = await session.call('pull-request settings update', change);
  const isOn = changed.enabled || changed.open_fixes;
  const sources = isOn ? ((await session.call('source list')) as Answer[]) : [];
  if (isOn && !sources.some((source) => source.has_app_key))
    printNote('No GitHub App is connected yet, so nothing is written: connect one on the page Sources.');
  return changed;
}

function inWords(settings: Answer): string {
  const fixes = settings.open_fixes ? ' Admins may open pull requests with fixes.' : '';
  return `${aboutComments(settings)}${fixes}`;
}

function aboutComments({ enabled, fail_above: limit }: Answer): string {
  if (!enabled) return 'Comments on pull requests are off.';
  const check =
    limit === null ? 'Its check never fails.' : `Its check fails above ${exactDollars(nanosOf(limit))}.`;
  return `The App comments on pull requests. ${check}`;
}

const addOnOrOff = addOnAndOff('comment on pull requests and set a check', 'do neither');

/** Of the cost in the period. */
function shareOf(wanted: string, { actor_kinds: kinds, cost }: Answer): string {
  const own = nanosOf((kinds as Answer[]).find(({ kind }) => kind === wanted)?.cost ?? 0);
  return own === 0n ? '-' : percentText(percentOf(own, nanosOf(cost)));
}

function printList({ data, pagination }: Answer): void {
  const { period, counted_from: from, cost, merged, closed, pull_requests: listed } = data;
  if (listed.length === 0) return printNothing('jobs of pull requests', period);
  printTable(
    ['PULL REQUEST', 'AUTHOR', 'STATE', 'COST', 'AGENTS', 'BOTS', 'IN TOTAL', 'PUSHES', 'RERUNS', 'TITLE'],
    (listed as Answer[]).map((each) => [
      `${each.repository}#${each.number}`,
      each.author ?? '-',
      each.state,
      dollarsOf(each.cost),
      shareOf('agent', each),
      shareOf('bot', each),
      dollarsOf(each.total_cost),
      formatCount(each.pushes),
      formatCount(each.reruns),
      each.title ?? '',
    ]),
  );
  printNote(
    `${dollarsOf(cost)} from ${period.start} to ${period.end} (agents ${shareOf('agent', data)}, bots ${shareOf('bot', data)}); ` +
      `IN TOTAL counts from ${from}.`,
  );
  const inTotal = ({ pull_requests: count, cost: total, median_cost: median }: Answer): string =>
    `${formatCount(count)}${count > 0 ? `, ${dollarsOf(total)} in total, ${dollarsOf(median)} in the median` : ''}`;
  printNote(`Merged: ${inTotal(merged)}. Closed without a merge: ${inTotal(closed)}.`);
  printLeftOut(listed.length, pagination.total, 'pull requests', maxRows);
}

export const pullRequestCommands: TailoredGroup = {
  'pull-request list': {
    ...filtered('pull-request list'),
    limit: 20,
    print: printList,
    help: `${filterHelp}
Examples:
  runcost pull-request list --days 30 --filter pull_request_state=closed
  runcost pull-request list --filter pull_request_author=mona --filter repository=acme/api
  runcost costs --group-by pull_request_author --filter pull_request_state=merged`,
  },
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

import { printNote } from './output.ts';
import type { Answer } from './session.ts';
import { wholeNumber, type TailoredGroup } from './verbCommand.ts';

/** As the dashboard shows it. */
function frameOf(url: string): string {
  return `<iframe src="${url}" title="CI costs" width="100%" height="720" loading="lazy"></iframe>`;
}

function printLink({ url, kind, expires_at: expiresAt }: Answer): void {
  console.log(url);
  if (kind === 'embed') console.log(frameOf(url));
  const seen = kind === 'badge' ? 'amount' : 'view';
  printNote(`Anyone with the link can see this ${seen} until ${expiresAt ?? 'somebody revokes it'}.`);
}

export const shareCommands: TailoredGroup = {
  'share list': { empty: 'No share links.' },
  'share create': {
    title: 'create a share link and print it',
    options: { valid_days: 'days', sites: 'site' },
    called: { query: '<query>' },
    without: ['kind', 'badge', 'query'],
    more: (command) => command.argument('<query>', 'the question: the query of GET /api/v1/costs'),
    read: (input, { query }) => ({ ...input, query, kind: input['sites'] ? 'embed' : 'link' }),
    print: printLink,
    help: `
Example:
  runcost share create 'days=30&group_by=repository&granularity=day' --days 30`,
  },
  'share badge': {
    verb: 'share create',
    title: 'create an image with what CI cost, for a README, and print its address',
    called: {
      valid_days: '--days',
      'badge.period': '--period',
      'badge.label': '--label',
      'badge.repository': '--repo',
      'badge.team': '--team',
    },
    only: ['name'],
    more: (command) =>
      command
        .option('--period <word>', 'which costs: month, last_month, 30_days or 7_days; by default month')
        .option('--label <text>', 'text before the amount')
        .option('--repo <name>', 'only this repository: owner/name')
        .option('--team <name>', 'only this team')
        .option('--days <count>', 'days until it expires, at most 90; without it never', wholeNumber(1, 90)),
    read: (input, { period, label, repo, team, days = null }) => ({
      ...input,
      valid_days: days,
      kind: 'badge',
      badge: { period, label, repository: repo, team },
    }),
    print: printLink,
  },
  'share revoke': { print: ({ id }) => printNote(`Revoked ${id}.`) },
};

import type { Command } from 'commander';
import { operationOf } from '../operations.ts';
import { scopes } from '../platform/lib/actor.ts';
import { countOf } from '../platform/lib/text.ts';
import { saveAllData } from './export.ts';
import { CommandError } from './faults.ts';
import { printNote } from './output.ts';
import type { Answer, Input, Session } from './session.ts';
import { printFields } from './tables.ts';
import { maxRows, type Options, pagesOf, type TailoredGroup } from './verbCommand.ts';

/** The end of a day in UTC, or an instant as it is. */
function endOf(text: string): string {
  return /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T23:59:59.999Z` : text;
}

function oneOf(given: Record<string, unknown>): string {
  const [name, ...others] = Object.entries(given).flatMap(([each, value]) =>
    value === undefined ? [] : [each],
  );
  if (name !== undefined && others.length === 0) return name;
  throw new CommandError(`Give exactly one of ${Object.keys(given).join(', ')}.`, 'usage');
}

const memberOption = ['--member <email>', 'only this member, by email address or id'] as const;

async function memberId(session: Session, text: string): Promise<string> {
  const members = (await session.call('member list')) as { id: string; email: string }[];
  const found = members.find(({ id, email }) => id === text || email.toLowerCase() === text.toLowerCase());
  if (found) return found.id;
  throw new CommandError(`--member: there is no member ${text}`, 'not_found');
}

async function revokeSessions(
  session: Session,
  _input: Input,
  { id, member, all }: Options,
): Promise<Answer> {
  const asked = oneOf({ '<id>': id, '--member': member, '--all': all });
  if (asked === '<id>') return session.call('session revoke', { id });
  if (asked === '--all') return session.call('session revoke-all', { all: true });
  return session.call('session revoke-all', { member_id: await memberId(session, member as string) });
}

async function revokeTokens(session: Session, _input: Input, { id, all }: Options): Promise<Answer> {
  return oneOf({ '<id>': id, '--all': all }) === '<id>'
    ? session.call('token revoke', { id })
    : session.call('token revoke-all');
}

const idOrAll =
  (text: string, all: string) =>
  (command: Command): Command =>
    command.argument('[id]', text).option('--all', all);

async function deleteOrganization(
  session: Session,
  input: Input,
  { export: folder }: Options,
): Promise<Answer> {
  const { name } = await session.call('org get');
  // Before an export, which can take long.
  if (input['confirm'] !== name) throw new CommandError(`--confirm must be its name: ${name}`, 'usage');
  const files = folder === undefined ? [] : await saveAllData(session, folder as string);
  if (files) return { ...(await session.call('org delete', input)), files };
  printNote('Stopped; nothing was deleted.');
  return undefined;
}

export const tenancyCommands: TailoredGroup = {
  'org update': {
    options: { fiscal_year_start_month: 'fiscal-year-start', run_retention_days: 'run-retention' },
    print: (answer) => printFields(answer),
  },
  'org retention get': { words: 'org retention' },
  'org delete': {
    more: (command) =>
      command.option(
        '--export <folder>',
        'first write all its runs, jobs and costs to this folder, as CSV files',
      ),
    run: deleteOrganization,
    print: ({ files }) => {
      for (const file of files as string[]) console.log(file);
      printNote('The organization is deleted. A background task removes the stored data.');
    },
    help: 'This cannot be undone. If the export fails, nothing is deleted. The operator exports all days, others those of the plan.',
  },
  'member add': { print: ({ id, email, role }) => printNote(`Added ${email} (${role}, ${id}).`) },
  'token create': {
    options: { expires_at: 'expires' },
    without: ['scopes', 'member_id'],
    more: (command) =>
      command.option('--scope <scope...>', `one or more of ${scopes.join(', ')} (default: all)`),
    defaults: { role: 'viewer' },
    read: ({ expires_at: expires, ...input }, { scope }) => ({
      ...input,
      ...(scope !== undefined && { scopes: scope }),
      ...(expires !== undefined && { expires_at: endOf(expires as string) }),
    }),
    json: ({ id, token }) => ({ id, token }),
    print: ({ id, role, token }) => {
      console.log(token);
      printNote(`${id} (${role}). The token is shown only once.`);
    },
  },
  'token revoke': {
    title: 'revoke a token, or all of them',
    without: ['id'],
    more: idOrAll('as `token list` shows it', 'all tokens'),
    run: revokeTokens,
    also: ['token revoke-all'],
    help: `
Examples:
  runcost token revoke tok_72f7ab46193cdf1e16cc
  runcost token revoke --all`,
    print: ({ id, revoked }) => printNote(id ? `Revoked ${id}.` : `Revoked tokens: ${revoked}.`),
  },
  'invitation create': {
    words: 'invite',
    options: { valid_days: 'days' },
    without: ['send_email'],
    defaults: { role: 'member' },
    more: (command) => command.option('--link', 'print the link, even if a mail server is set'),
    read: (input, { link }) => ({ ...input, ...(link !== undefined && { send_email: false }) }),
    json: ({ id, link, email_error }) => ({ id, link, email_error }),
    print: ({ id, link, email, email_error: error, role, expires_at: expiresAt }) => {
      if (link !== null) console.log(link);
      if (error !== null)
        printNote(`The email could not be sent: ${error}. With --link, pass the link on yourself.`);
      else if (link === null) printNote(`Sent to ${email} (${role}, ${id}).`);
      else printNote(`It makes one person a ${role}, until ${expiresAt} (${id}).`);
    },
  },
  'session list': {
    words: 'sessions list',
    without: ['member_id', 'all'],
    more: (command) => command.option(...memberOption).option('--own', 'only yours'),
    run: async (session, input, { member, own, limit }) => {
      const whose =
        member === undefined ? { all: !own } : { member_id: await memberId(session, member as string) };
      const asked = { input: { ...input, ...whose }, limit: limit ?? maxRows };
      return pagesOf(session, operationOf('session list'), asked);
    },
  },
  'session revoke': {
    words: 'sessions revoke',
    title: "sign out one browser, a member's browsers, or all",
    without: ['id'],
    more: (command) =>
      idOrAll('as `sessions list` shows it', 'all browsers')(command).option(...memberOption),
    run: revokeSessions,
    also: ['session revoke-all'],
    help: `
Examples:
  runcost sessions revoke ses_0e4b8d1c6a9f2753d8e1
  runcost sessions revoke --member mona@acme.example`,
    print: ({ ended }, { id }) =>
      printNote(`Ended ${(id as string | undefined) ?? countOf(ended as number, 'session')}.`),
  },
  'sign-in-link create': {
    words: 'sign-in',
    print: ({ url, expires_at: expiresAt }) => {
      console.log(url);
      printNote(`It works once, until ${expiresAt}.`);
    },
  },
  'hold end': {
    words: 'resume',
    print: ({ hold }) => printNote(hold === null ? 'There was no hold.' : `Ended: ${hold.text}`),
  },
};

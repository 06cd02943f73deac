import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { invalid } from '../platform/lib/errors.ts';
import { listMembers } from '../tenancy/members/members.ts';
import { endSession, endSessions, listSessions, type Session } from '../tenancy/sessions/sessions.ts';
import { createSignInCode, signInLink } from '../tenancy/sessions/signIn.ts';
import { contextFor, orgOption, withApp } from './command.ts';
import { printJson, printNote, printTable } from './output.ts';

const maxListed = 1_000;
const memberOption = ['--member <email>', 'only this member, by email address or id'] as const;

type ListOptions = { org?: string; member?: string; json?: boolean };
type RevokeOptions = { org?: string; member?: string; all?: boolean };

function addSessions(program: Command): void {
  const sessions = program.command('sessions').description('list and end the sessions of browsers');
  sessions
    .command('list')
    .description('list the signed-in browsers, last used first')
    .option(...memberOption)
    .option(...orgOption)
    .option('--json', 'print a JSON array')
    .action((options: ListOptions) =>
      withApp(async (app) => {
        const ctx = await contextFor(app, options.org);
        const asked = options.member === undefined ? { all: true } : await memberAsked(ctx, options.member);
        const { sessions: found, total } = await listSessions(ctx, asked, { page: 1, perPage: maxListed });
        if (options.json) return printJson(found.map(sessionView));
        printTable(
          ['SESSION', 'HOLDER', 'ROLE', 'BROWSER', 'ADDRESS', 'SIGNED IN', 'LAST USED'],
          found.map((session) => [
            session.id,
            holderOf(session),
            session.role,
            session.browser ?? '-',
            session.address ?? '-',
            session.createdAt.toISOString(),
            session.lastSeenAt.toISOString(),
          ]),
        );
        if (total > found.length) printNote(`Showing ${found.length} of ${total}.`);
      }),
    );
  sessions
    .command('revoke')
    .description("sign out one browser, a member's browsers, or all")
    .argument('[id]', 'ses_… as `sessions list` shows it')
    .option(...memberOption)
    .option('--all', 'all browsers')
    .option(...orgOption)
    .action((id: string | undefined, options: RevokeOptions) =>
      withApp(async (app) => {
        const given = [id, options.member, options.all].filter((each) => each !== undefined);
        if (given.length !== 1) throw invalid('<id>, --member or --all', 'is required: exactly one of them');
        const ctx = await contextFor(app, options.org);
        if (id !== undefined) {
          await endSession(ctx, id);
          return printNote(`Ended ${id}.`);
        }
        const asked = options.member === undefined ? { all: true } : await memberAsked(ctx, options.member);
        const ended = await endSessions(ctx, asked);
        printNote(
          `Ended ${ended} ${ended === 1 ? 'session' : 'sessions'}. Tokens stay valid (see token revoke).`,
        );
      }),
    );
}

async function memberAsked(ctx: Context, text: string): Promise<{ memberId: string }> {
  const members = await listMembers(ctx);
  const member = members.find(({ id, email }) => id === text || email.toLowerCase() === text.toLowerCase());
  if (!member) throw invalid('--member', `is not a member of this organization: ${text}`);
  return { memberId: member.id };
}

function holderOf({ member, token }: Session): string {
  return member?.email ?? (token ? `token ${token.name}` : 'sign-in link');
}

function sessionView(session: Session) {
  const { id, member, token, role, address, browser, createdAt, lastSeenAt, expiresAt } = session;
  return {
    id,
    member,
    token,
    role,
    address,
    browser,
    created_at: createdAt,
    last_seen_at: lastSeenAt,
    expires_at: expiresAt,
  };
}

const validMinutes = 15;

function addSignInCommand(program: Command): void {
  program
    .command('sign-in')
    .description('print a link that signs a browser in once, as an owner')
    .option(...orgOption)
    .action(({ org }: { org?: string }) =>
      withApp(async (app) => {
        const ctx = await contextFor(app, org);
        const code = await createSignInCode(ctx, { validSeconds: validMinutes * 60, tokenId: null });
        console.log(signInLink(app.publicUrl(), code));
        printNote(`It works once, within ${validMinutes} minutes, while the server runs (PUBLIC_URL, PORT).`);
      }),
    );
}

export function addSessionCommands(program: Command): void {
  addSignInCommand(program);
  addSessions(program);
}

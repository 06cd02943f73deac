import { Option, type Command } from 'commander';
import { roles, scopes, type Role, type Scope } from '../platform/lib/actor.ts';
import { invalid } from '../platform/lib/errors.ts';
import { readInstant } from '../platform/lib/time.ts';
import { endLinkSessions } from '../tenancy/sessions/sessions.ts';
import { createToken, kindOf, listTokens, revokeAllTokens, revokeToken } from '../tenancy/tokens/tokens.ts';
import { type CommonOptions, contextFor, orgOption, readName, withApp } from './command.ts';
import { printJson, printNote, printTable } from './output.ts';

type CreateOptions = {
  org?: string;
  name: string;
  role: Role;
  scope?: string[];
  expires?: string;
  json?: boolean;
};

export function addTokenCommands(program: Command): void {
  const token = program.command('token').description('create, list and revoke tokens');
  addCreate(token);
  token
    .command('list')
    .description('list the tokens without their secrets')
    .option(...orgOption)
    .option('--json', 'print a JSON array')
    .action((options: CommonOptions) =>
      withApp(async (app) => {
        const tokens = await listTokens(await contextFor(app, options.org));
        if (options.json) {
          return printJson(
            tokens.map(({ id, name, memberId, role, scopes: held, createdAt, expiresAt, ...times }) => ({
              id,
              name,
              kind: kindOf({ memberId }),
              member_id: memberId,
              role,
              scopes: held,
              created_at: createdAt,
              expires_at: expiresAt,
              revoked_at: times.revokedAt,
              last_used_at: times.lastUsedAt,
            })),
          );
        }
        printTable(
          ['TOKEN', 'NAME', 'KIND', 'ROLE', 'CREATED', 'LAST USED', 'STATE'],
          tokens.map((row) => [
            row.id,
            row.name,
            kindOf(row),
            row.role,
            row.createdAt.toISOString(),
            row.lastUsedAt?.toISOString() ?? 'never',
            stateOf(row, app.clock.now()),
          ]),
        );
      }),
    );
  token
    .command('revoke')
    .description('revoke a token, or all of them')
    .argument('[id]', 'tok_… as `token list` shows it')
    .option('--all', 'all tokens and sessions')
    .option(...orgOption)
    .action((id: string | undefined, options: { all?: boolean; org?: string }) =>
      withApp(async (app) => {
        if ((id === undefined) !== Boolean(options.all))
          throw invalid('<id>', 'or --all is required: exactly one of them');
        const ctx = await contextFor(app, options.org);
        if (id === undefined) {
          const count = await revokeAllTokens(ctx, endLinkSessions);
          return printNote(`Revoked ${count} ${count === 1 ? 'token' : 'tokens'}; ended all sessions.`);
        }
        await revokeToken(ctx, id, endLinkSessions);
        printNote(`Revoked ${id}.`);
      }),
    );
}

function addCreate(token: Command): void {
  token
    .command('create')
    .description('create a token, which is shown only once')
    .requiredOption('--name <name>', 'what the token is for', readName)
    .addOption(new Option('--role <role>', 'role').choices(roles).default('viewer'))
    .option('--scope <scope...>', `one or more of ${scopes.join(', ')} (default: all)`)
    .option('--expires <date>', 'last day (UTC) or instant, such as 2027-01-31 or 2027-01-31T12:00:00Z')
    .option(...orgOption)
    .option('--json', 'print {"id","token"} and nothing else')
    .action((options: CreateOptions) =>
      withApp(async (app) => {
        const { token: created, text } = await createToken(await contextFor(app, options.org), {
          name: options.name,
          role: options.role,
          ...(options.scope ? { scopes: options.scope.map(knownScope) } : {}),
          expires_at: options.expires ? instantOf(options.expires) : null,
        });
        if (options.json) return printJson({ id: created.id, token: text });
        console.log(text);
        printNote(`${created.id} (${created.role}). The token is shown only once.`);
      }),
    );
}

function knownScope(text: string): Scope {
  const scope = scopes.find((known) => known === text);
  if (!scope) throw invalid('--scope', `must be one of: ${scopes.join(', ')}`);
  return scope;
}

function instantOf(text: string): Date {
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  return readInstant('--expires', isDay ? `${text}T23:59:59.999Z` : text);
}

function stateOf(token: { revokedAt: Date | null; expiresAt: Date | null }, now: Date): string {
  if (token.revokedAt) return 'revoked';
  if (token.expiresAt)
    return `${token.expiresAt <= now ? 'expired' : 'until'} ${token.expiresAt.toISOString()}`;
  return 'valid';
}

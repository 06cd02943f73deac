import { readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { readClientSettings, webAddressRule } from '../config.ts';
import { oneToken, webAddress } from '../platform/lib/settingTexts.ts';
import { openInBrowser } from './browser.ts';
import { CommandError } from './faults.ts';
import { printJson, printNote, printTable } from './output.ts';
import { type Answer, openSession, readAnswer, sendTo } from './session.ts';
import { printFields } from './tables.ts';
import { readContexts, type StoredContext, type TargetOptions, writeContexts } from './target.ts';
import { addTargetOptions } from './verbCommand.ts';

type LoginOptions = { url?: string; name?: string; withToken?: boolean; browser: boolean };

export function addLoginCommands(program: Command): void {
  program
    .command('login')
    .option('--url <address>', 'server, in place of RUNCOST_URL')
    .option('--name <name>', 'what to call it here; by default its host')
    .option('--with-token', 'read a token from standard input instead')
    .option('--no-browser', 'only print the address to open')
    .action(login);
  program
    .command('logout')
    .option('--context <name>', 'the server, as `context list` shows it; by default the current one')
    .action(logout);
  addTargetOptions(
    program.command('whoami').option('--json', 'print the answer of GET /api/v1/session as JSON'),
  ).action(whoami);
  addContexts(program);
}

function addContexts(program: Command): void {
  const context = program.command('context');
  context
    .command('list')
    .description('list the servers that you signed in to')
    .option('--json', 'print a JSON array')
    .action(({ json }: { json?: boolean }) => {
      const { current, contexts } = readContexts();
      const rows = Object.entries(contexts).map(([name, { url, org_name: organization }]) => ({
        name,
        url,
        organization,
        is_current: name === current,
      }));
      if (json) return printJson(rows);
      if (rows.length === 0) return printNote('None yet: runcost login --url https://runcost.example.com');
      printTable(
        ['CURRENT', 'NAME', 'SERVER', 'ORGANIZATION'],
        rows.map((row) => [row.is_current ? '*' : '', row.name, row.url, row.organization]),
      );
    });
  context
    .command('use')
    .description('make a server the current one')
    .argument('<name>', 'as `context list` shows it')
    .addHelpText('after', '\nExample:\n  runcost context use runcost.example.com')
    .action((name: string) => {
      const { contexts } = readContexts();
      requireContext(contexts, name);
      writeContexts({ contexts, current: name });
    });
  context
    .command('remove')
    .description('forget a server, without revoking its token')
    .argument('<name>', 'as `context list` shows it')
    .addHelpText('after', '\nExample:\n  runcost context remove runcost.example.com')
    .action(forget);
}

function requireContext(contexts: Record<string, StoredContext>, name: string): StoredContext {
  if (Object.hasOwn(contexts, name)) return contexts[name]!;
  throw new CommandError(`There is no context ${name} (see context list).`, 'not_found');
}

function forget(name: string): void {
  const { contexts, current } = readContexts();
  requireContext(contexts, name);
  const { [name]: _forgotten, ...others } = contexts;
  writeContexts({ contexts: others, current: current === name ? null : current });
  if (current === name && Object.keys(others).length > 0)
    printNote('No server is the current one now: choose one with `context use`.');
}

async function login({ url: given, name, withToken, browser }: LoginOptions): Promise<void> {
  const url = given === undefined ? readClientSettings().url : webAddress(given);
  if (url === null)
    throw new CommandError(
      given === undefined ? '--url or RUNCOST_URL is required' : `--url must be ${webAddressRule}`,
      'usage',
    );
  const token = withToken ? readToken() : await confirmedToken(url, browser);
  const asked = { method: 'GET', path: '/api/v1/session' };
  const { data: who } = await readAnswer(await sendTo({ url, token, orgId: null }, asked));
  const { contexts } = readContexts();
  const context = name ?? freeName(contexts, new URL(url).host, who.organization);
  const stored = {
    url,
    token,
    org_id: who.organization.id as string,
    org_name: who.organization.name as string,
    is_own: !withToken,
  };
  writeContexts({ current: context, contexts: { ...contexts, [context]: stored } });
  printNote(
    `Signed in to ${stored.org_name} at ${url} as ${who.role}. Commands ask it from now on (context ${context}).`,
  );
}

/** One server can have several organizations. */
function freeName(
  contexts: Record<string, StoredContext>,
  host: string,
  { id, address_name: name }: { id: string; address_name: string },
): string {
  const taken = contexts[host];
  return taken && taken.org_id !== id ? `${host}/${name}` : host;
}

function readToken(): string {
  const token = oneToken(readFileSync(0, 'utf8').trim());
  if (token !== null) return token;
  throw new CommandError('Standard input must be one token.', 'usage');
}

const codeExpired = 'The code has expired. Run the command again.';

/** Shows a code, and waits until somebody has confirmed it in a browser. */
async function confirmedToken(url: string, browser: boolean): Promise<string> {
  const server = { url, token: '', orgId: null };
  const post = async (path: string, body: object): Promise<Answer> => {
    const response = await sendTo(server, { method: 'POST', path: `/api/v1${path}`, body });
    return (await readAnswer(response)).data;
  };
  const begun = await post('/logins', { name: `${userInfo().username}@${hostname()}` });
  printNote(`Your code is ${begun.code}. Confirm it in the browser:`);
  const address = confirmAddress(begun.confirm_url as string);
  printNote(address);
  if (browser) openInBrowser(address);
  const until = Date.parse(begun.expires_at as string);
  while (Date.now() < until) {
    await sleep((begun.interval_seconds as number) * 1_000);
    const { status, token } = await post('/logins/poll', { secret: begun.secret }).catch(waitWhileAway);
    if (status !== 'waiting') return token as string;
  }
  throw new CommandError(codeExpired, 'forbidden');
}

/** What opens it could take other texts for options or files. */
function confirmAddress(text: string): string {
  const address = URL.parse(text);
  if (address && /^https?:$/.test(address.protocol)) return address.href;
  throw new CommandError('The server answered with an address to confirm that is none.', 'away');
}

/** A server that restarts does not end the login. */
function waitWhileAway(error: unknown): Answer {
  if (error instanceof CommandError && error.kind === 'away') return { status: 'waiting' };
  throw error;
}

async function logout({ context }: { context?: string }): Promise<void> {
  const { current, contexts } = readContexts();
  const chosen = context ?? current;
  if (chosen === null)
    throw new CommandError('You are not signed in to any server (see context list).', 'usage');
  const { url, token, org_id: orgId, is_own: isOwn } = requireContext(contexts, chosen);
  const target = { url, token, orgId };
  try {
    if (isOwn) await sendTo(target, { method: 'DELETE', path: '/api/v1/tokens/current' });
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    printNote(`The token could not be revoked, and stays valid there:\n${error.message}`);
  }
  forget(chosen);
  printNote(
    isOwn ? `Signed out of ${url}.` : `Forgot ${url}. The token, which you had brought, stays valid.`,
  );
}

async function whoami(options: TargetOptions & { json?: boolean }): Promise<void> {
  const session = openSession(options);
  const answer = await session.call('session get');
  if (options.json) return printJson(answer);
  const { organization, member, token, role, scopes, expires_at } = answer;
  printFields({
    server: session.target().url,
    organization: `${organization.name} (${organization.id})`,
    ...(member && { member: member.email }),
    ...(token && { token: `${token.name} (${token.id})` }),
    role,
    scopes,
    expires_at,
  });
}

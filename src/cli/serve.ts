import type { AddressInfo } from 'node:net';
import type { Command } from 'commander';
import { type App, createApp } from '../app.ts';
import { commandLine, type Config, localAddress, readConfig } from '../config.ts';
import { type EndedList, findEndedList } from '../ledger/repricing/endedList.ts';
import { cliActor, scopes } from '../platform/lib/actor.ts';
import { PublicError } from '../platform/lib/errors.ts';
import { magnitude } from '../platform/lib/money.ts';
import { createOrganization, listOrganizations } from '../tenancy/organizations/organizations.ts';
import { createSignInCode, signInLink } from '../tenancy/sessions/signIn.ts';
import { createToken } from '../tenancy/tokens/tokens.ts';
import { withApp } from './command.ts';
import { dollarsAndCents, printNote } from './output.ts';

export function addServeCommand(program: Command): void {
  program.command('serve', { isDefault: true }).description('serve the API').action(serve);
}

/** Serves until a signal comes, then finishes the requests in flight and ends with 0. */
async function serve(): Promise<void> {
  const config = readConfig();
  const stopped = stopSignal();
  const app = await createApp(config, { command: 'server', mayJoin: false });
  try {
    // Only here, so that the other commands start without what they have no use for.
    const [{ buildServer }, { buildWorker }] = await Promise.all([
      import('../server.ts'),
      import('../worker.ts'),
    ]);
    const server = await buildServer(app);
    const worker = buildWorker(app);
    try {
      await listen(server, config);
      const { port } = server.server.address() as AddressInfo;
      const address = localAddress(config.host, port);
      app.setAddress(address);
      worker.start();
      await greet(app, address);
      const signal = await Promise.race([stopped, app.databaseFailed]);
      printNote(`\n${signal}: finishing what is in flight …`);
    } finally {
      await server.close();
      await worker.stop();
    }
  } finally {
    await app.close();
  }
}

type Listening = { listen: (address: { port: number; host: string }) => Promise<string> };

async function listen(server: Listening, { port, host }: Config): Promise<void> {
  try {
    await server.listen({ port, host });
  } catch (error) {
    const reasons: Record<string, string> = {
      EADDRINUSE: `PORT ${port} on ${host} is in use by another program. Choose another PORT.`,
      EACCES: `PORT ${port} is not for this user to open. Choose one above 1023.`,
      ENOTFOUND: `HOST ${host} is not known. Give an address of this machine.`,
      EADDRNOTAVAIL: `HOST ${host} is no address of this machine.`,
    };
    const reason = reasons[(error as NodeJS.ErrnoException).code ?? ''];
    throw reason ? new PublicError('unavailable', 'cannot_listen', reason) : error;
  }
}

const maxListed = 10;

/** A line for each organization with jobs that cost something since its chosen price list ended. */
async function endedLists(app: App): Promise<string[]> {
  const lines: string[] = [];
  for (const { orgId, plan } of (await listOrganizations(app)).slice(0, maxListed)) {
    const ended = await findEndedList({ ...app, actor: cliActor(orgId), plan });
    if (ended && (ended.nowNanos > 0n || ended.thenNanos > 0n))
      lines.push(
        `Price list    ${endedListInWords(ended)}: ${commandLine(app.config)} price switch --org ${orgId}`,
      );
  }
  return lines.length === 0 ? [] : ['', ...lines];
}

/** `GitHub's … has ended; jobs since 2026-01-01 cost $12.34 less with the one that follows. Switch and reprice` */
function endedListInWords({ book, period, nowNanos, thenNanos }: EndedList): string {
  const more = thenNanos - nowNanos;
  const amount = `${dollarsAndCents(magnitude(more))} ${more < 0n ? 'less' : 'more'}`;
  const effect = more === 0n ? '' : `; jobs since ${period.start} cost ${amount} with the one that follows`;
  return `${book.name} has ended${effect}. Switch and reprice`;
}

const secondSignalMilliseconds = 1_000;

/**
 * Resolves with the first signal to stop. A second one ends the process at once, as people expect; but not within a
 * moment, since Ctrl-C and service managers may signal both this process and the one that started it.
 */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAt: number | null = null;
    const stop = (signal: NodeJS.Signals): void => {
      firstAt ??= performance.now();
      resolve(signal);
      if (performance.now() - firstAt > secondSignalMilliseconds) process.exit(1);
    };
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
  });
}

/** Says where the service is; at the very first start also makes an organization and a way in for its owner. */
async function greet(app: App, address: string): Promise<void> {
  const organizations = await listOrganizations(app);
  const lines = [`Runcost is at ${address}`, `API docs at   ${address}/docs`];
  if (organizations.length === 0) {
    lines.push(...(await firstOrganization(app)));
  } else {
    lines.push(...organizations.slice(0, 10).map(({ orgId, name }) => `Organization  ${orgId}  ${name}`));
  }
  lines.push(...(await endedLists(app)));
  if (app.config.egress.allowLoopback) {
    lines.push(
      '',
      'A trial on this machine: chats and webhooks may be on it too, over http.',
      'Once a request comes through a proxy, only EGRESS_ALLOWED_CIDRS and EGRESS_ALLOW_HTTP allow that.',
    );
  }
  if (!app.mailer) lines.push('', 'Alerts are not mailed: SMTP_URL and EMAIL_FROM are not set.');
  console.log(`\n${lines.join('\n')}\n`);
}

/** Logs keep what they get, so the token goes to a terminal only; elsewhere the link has to do, which works once. */
async function firstOrganization(app: App): Promise<string[]> {
  const orgId = await createOrganization(app, { name: 'My organization' });
  const ctx = { ...app, actor: cliActor(orgId) };
  const lines = [`Organization  ${orgId}`, ''];
  let tokenId: string | null = null;
  if (process.stdout.isTTY) {
    const { token, text } = await createToken(ctx, { name: 'first start', role: 'owner', scopes });
    tokenId = token.id;
    lines.push(
      `Your owner token, shown only now (\`${commandLine(app.config)} token create\` creates others):`,
      `  ${text}`,
    );
  }
  const code = await createSignInCode(ctx, { validSeconds: 86_400, tokenId });
  const link = signInLink(app.publicUrl(), code);
  return [...lines, 'Open this link to sign in as the owner. It works once, within 24 hours:', `  ${link}`];
}

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description("bring the database's tables up to date; every start does it too")
    .action(() => withApp('migrate', async () => printNote('The database is up to date.')));
}

import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import { pino, type Logger } from 'pino';
import { type App, createApp } from '../app.ts';
import { openInBrowser } from '../cli/browser.ts';
import { CommandError } from '../cli/faults.ts';
import { printNote } from '../cli/output.ts';
import { type Config, readConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { type EndedList, findEndedList } from '../ledger/repricing/endedList.ts';
import { describeUndistributed, findHalfDistributed } from '../platform/db/distribution.ts';
import { describeHold, findHold } from '../platform/db/installation.ts';
import { cliActor, scopes } from '../platform/lib/actor.ts';
import { dollars } from '../platform/lib/amountTexts.ts';
import { commandLine, localAddress } from '../platform/lib/commandLine.ts';
import { magnitude } from '../platform/lib/money.ts';
import { announceServer } from '../platform/lib/runningServers.ts';
import { createFirstOrganization, listOrganizations } from '../tenancy/organizations/organizations.ts';
import { createSignInCode, signInLink } from '../tenancy/sessions/signIn.ts';
import { createToken } from '../tenancy/tokens/tokens.ts';
import { withApp } from './withApp.ts';

function addServeCommand(program: Command): void {
  program
    .command('serve', { isDefault: true })
    .addOption(
      new Option('--role <role>', 'what this process does: serve requests, work in the background, or both')
        .choices(roles)
        .default('all'),
    )
    .action(serve);
}

type DelayedLog = { log: Logger; release: () => void };

/** A log to standard error whose lines wait until `release`, so that a terminal shows none between printed words. */
function delayedLog(level: string): DelayedLog {
  let waiting: string[] | null = [];
  const print = (line: string) => void process.stderr.write(line);
  return {
    log: pino({ level }, { write: (line: string) => void (waiting ? waiting.push(line) : print(line)) }),
    release: () => {
      waiting?.forEach(print);
      waiting = null;
    },
  };
}

const roles = ['api', 'worker', 'all'] as const;
type Role = (typeof roles)[number];

async function serve({ role }: { role: Role }): Promise<void> {
  const config = readConfig();
  // A worker sees no requests, so it would not notice when the trial ends.
  if (role !== 'all') config.egress.allowLoopback = false;
  const isTerminal = process.stdout.isTTY && process.stderr.isTTY;
  const delayed = isTerminal ? delayedLog(config.logLevel) : null;
  try {
    await serveUntilStopped(config, role, delayed);
  } finally {
    delayed?.release();
  }
}

async function serveUntilStopped(config: Config, role: Role, delayed: DelayedLog | null): Promise<void> {
  const stopped = stopSignal();
  const opening = createApp(config, {
    mayCreate: true,
    isServer: true,
    ...(delayed && { log: delayed.log }),
  });
  const app = await Promise.race([opening, stopped.then(() => null)]);
  // Whatever was started ends with this process.
  if (!app) process.exit(0);
  let failure: unknown = null;
  try {
    await run(app, role, stopped, async (address) => {
      await greet(app, role, address);
      delayed?.release();
    });
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    // An abandoned query would keep the process alive until its time-out.
    const giveUp = setTimeout(() => endNow(failure), maxCloseMilliseconds);
    await app.close();
    clearTimeout(giveUp);
  }
}

async function run(
  app: App,
  role: Role,
  stopped: Promise<NodeJS.Signals>,
  greeting: (address: string) => Promise<void>,
): Promise<void> {
  const { config } = app;
  // Imported late, so that other commands start faster.
  const [{ buildServer, buildHealthServer }, { buildWorker }] = await Promise.all([
    import('../server.ts'),
    import('../worker.ts'),
  ]);
  const server = await (role === 'worker' ? buildHealthServer : buildServer)(app);
  const worker = role === 'api' ? null : buildWorker(app);
  let remove = () => {};
  try {
    await listen(server, config);
    const { port } = server.server.address() as AddressInfo;
    const address = localAddress(config.host, port);
    // A worker only listens for probes of its health.
    if (role !== 'worker') {
      app.setAddress(address);
      remove = announce(app, address);
    }
    worker?.start();
    await greeting(address);
    const signal = await stopped;
    printNote(`\n${signal}: finishing open requests …`);
    app.health.drain();
  } finally {
    await Promise.all([closeServer(server, app), worker?.stop()]).finally(remove);
  }
}

/** Lets commands of this user find the server. Without a folder to write to, they need a token. */
function announce({ config, log, publicUrl, operatorToken }: App, url: string): () => void {
  try {
    return announceServer(config.dataDir, { url, publicUrl: publicUrl(), token: operatorToken });
  } catch (err) {
    log.info(
      { err },
      'DATA_DIR cannot be written: commands on this machine need RUNCOST_URL and RUNCOST_TOKEN',
    );
    return () => {};
  }
}

export async function serveAudit(app: App, ctx: Context, stopped: Promise<NodeJS.Signals>): Promise<void> {
  await run(app, 'all', stopped, async () => {
    const code = await createSignInCode(ctx, { validSeconds: 86_400, tokenId: null });
    const link = signInLink(app.publicUrl(), code);
    console.log(`\nOpen this link for the dashboard. It works once, until Ctrl-C:\n  ${link}\n`);
    if (process.stdout.isTTY) openInBrowser(link);
  });
}

const maxCloseMilliseconds = 5_000;

function endNow(failure: unknown): never {
  if (failure === null) process.exit(0);
  console.error(`error: ${(failure as Error).message}`);
  process.exit(1);
}

async function closeServer(
  server: { close: () => Promise<unknown> },
  { config, health }: App,
): Promise<void> {
  if (health.isDraining()) await sleep(config.drainSeconds * 1_000);
  await server.close();
}

type Listening = { listen: (address: { port: number; host: string }) => Promise<string> };

async function listen(server: Listening, { port, host }: Config): Promise<void> {
  try {
    await server.listen({ port, host });
  } catch (error) {
    const reasons: Record<string, string> = {
      EADDRINUSE: `PORT ${port} on ${host} is in use by another program. Choose another PORT.`,
      EACCES: `This user may not open PORT ${port}. Choose one above 1023.`,
      ENOTFOUND: `HOST ${host} is unknown. Use an address of this machine.`,
      EADDRNOTAVAIL: `HOST ${host} is not an address of this machine.`,
    };
    const reason = reasons[(error as NodeJS.ErrnoException).code ?? ''];
    throw reason ? new CommandError(reason) : error;
  }
}

const maxListed = 10;

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

function endedListInWords({ book, period, nowNanos, thenNanos }: EndedList): string {
  const more = thenNanos - nowNanos;
  const amount = `${dollars(magnitude(more))} ${more < 0n ? 'less' : 'more'}`;
  const effect = more === 0n ? '' : `; jobs since ${period.start} cost ${amount} with the next one`;
  return `${book.name} has ended${effect}. Switch and reprice`;
}

const secondSignalMilliseconds = 1_000;

/**
 * Resolves with the first signal. A second one ends the process, unless it follows within a second: Ctrl-C and
 * service managers may signal both this process and its parent.
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

async function greet(app: App, role: Role, address: string): Promise<void> {
  if (role === 'worker') {
    const lines = [
      `Runcost works in the background. Its health is at ${address}/readyz`,
      ...(await holdLines(app)),
    ];
    return console.log(`\n${lines.join('\n')}\n`);
  }
  const half = await findHalfDistributed(app.db);
  const newId = half ? null : await createFirstOrganization(app, { name: 'My organization' });
  const organizations = await listOrganizations(app);
  const url = app.publicUrl();
  const lines = [`Runcost is at ${url}`, `API docs at   ${url}/docs`];
  if (url !== address) lines.push(`Listening on  ${address}`);
  if (newId) {
    lines.push(...(await firstOrganization(app, newId)));
  } else {
    lines.push(...organizations.slice(0, 10).map(({ orgId, name }) => `Organization  ${orgId}  ${name}`));
  }
  if (role === 'api') lines.push('', 'Requests only: `runcost serve --role worker` works in the background.');
  lines.push(
    ...(half ? ['', describeUndistributed(half)] : await endedLists(app)),
    ...(await holdLines(app)),
  );
  if (app.config.egress.allowLoopback) {
    lines.push(
      '',
      'Trial on this machine: notifications and webhooks may go to this machine, over http.',
      'After the first request through a proxy, only EGRESS_ALLOWED_CIDRS and EGRESS_ALLOW_HTTP allow ' +
        'that.',
    );
  }
  if (!app.mailer) lines.push('', 'Alert emails are off: set SMTP_URL and EMAIL_FROM.');
  console.log(`\n${lines.join('\n')}\n`);
}

async function holdLines(app: App): Promise<string[]> {
  const hold = await findHold(app.db);
  if (!hold) return [];
  app.log.warn({ hold: hold.reason }, 'On hold: nothing is sent until `runcost resume`.');
  const command = `${commandLine(app.config)} resume`;
  return ['', `ON HOLD       ${describeHold(hold)}`, `              Nothing is sent until: ${command}`];
}

/** Prints the token only to terminals, because logs are kept. The link works only once. */
async function firstOrganization(app: App, orgId: string): Promise<string[]> {
  const ctx = { ...app, actor: cliActor(orgId) };
  const isTerminal = process.stdout.isTTY;
  const owner = { name: 'first start', role: 'owner', scopes } as const;
  const created = isTerminal ? await createToken(ctx, owner) : null;
  const code = await createSignInCode(ctx, { validSeconds: 86_400, tokenId: created?.token.id ?? null });
  return [
    `Organization  ${orgId}`,
    '',
    'Open this link to sign in as the owner. It works once, within 24 hours:',
    `  ${signInLink(app.publicUrl(), code)}`,
    '',
    `To use the API from a terminal, paste these lines${created ? '; the token is shown only once' : ''}:`,
    // With RUNCOST_URL, the command that creates the token would need one already.
    `  export RUNCOST_TOKEN=${created?.text ?? `$(${commandLine(app.config)} token create --name me --role owner)`}`,
    `  export RUNCOST_URL=${app.publicUrl()}`,
    `  export ORG=${orgId}`,
  ];
}

function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .action(() => withApp(async () => printNote('The database is up to date.'), { mayCreate: true }));
}

export function addServerCommands(program: Command): void {
  addServeCommand(program);
  addMigrateCommand(program);
}

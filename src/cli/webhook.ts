import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { CommandError, TooSoon } from './faults.ts';
import { follow, stopOnSignal } from './follow.ts';
import { plain, printJson, printNote } from './output.ts';
import type { Answer, Input, Session } from './session.ts';
import type { Options, TailoredGroup } from './verbCommand.ts';

const sentSoon = 'The server sends it now.';

/** All are found before any is sent. */
async function resend(session: Session, _input: Input, options: Options): Promise<Answer> {
  const { webhooks } = await session.call('webhook list');
  const found: Input[] = [];
  for (const id of options['delivery'] as string[]) found.push(await placeOf(session, webhooks, id));
  const resent: Answer[] = [];
  for (const input of found) resent.push(await session.call('webhook delivery resend', input));
  return resent;
}

async function placeOf(session: Session, webhooks: Answer[], deliveryId: string): Promise<Input> {
  for (const { id } of webhooks) {
    const input = { id, delivery_id: deliveryId };
    try {
      await session.call('webhook delivery get', input);
      return input;
    } catch (error) {
      if (!(error instanceof CommandError) || error.kind !== 'not_found') throw error;
    }
  }
  throw new CommandError(`There is no such delivery: ${deliveryId}`, 'not_found');
}

async function resendMany(session: Session, input: Input): Promise<Answer> {
  const started = await session.call('webhook resend create', input);
  if (started.id === undefined) return started;
  return follow(session, {
    get: 'webhook resend get',
    input: { id: input['id'], resend_id: started.id },
    unit: 'deliveries',
    progressOf: ({ resent, total }) => ({ done: resent, total }),
  });
}

async function onlyWebhook(session: Session): Promise<string> {
  const { webhooks } = await session.call('webhook list');
  if (webhooks.length === 1) return webhooks[0].id;
  const why =
    webhooks.length === 0
      ? 'has nothing to choose from: create a webhook with `webhook create`'
      : 'is required: there are several webhooks (see `webhook list`)';
  throw new CommandError(`--webhook ${why}`, 'usage');
}

const lookAgainMilliseconds = 2_000;
/** What the server signs at once. */
const signedAtOnce = 100;
/** A delivery is dated before its transaction commits, so a later one can appear first. */
const maxCommitDelayMilliseconds = 30_000;

/** Returns deliveries that came since the look before, oldest first. */
function newDeliveriesOf(session: Session, input: Input, { since }: Options) {
  const seen = new Map<string, Date>();
  let from: Date | undefined;
  return async (): Promise<Answer[]> => {
    from ??=
      since === undefined ? await latestOf(session, input, seen) : new Date(Date.now() - (since as number));
    const asked = { ...input, from: from.toISOString(), without: [...seen.keys()] };
    const { deliveries } = await session.call('webhook delivery sign', asked);
    for (const { id, created_at: at } of deliveries) seen.set(id, new Date(at));
    const newest = new Date(deliveries.at(-1)?.created_at ?? from).getTime();
    from = new Date(Math.max(from.getTime(), newest - maxCommitDelayMilliseconds));
    for (const [id, createdAt] of seen) if (createdAt < from) seen.delete(id);
    return deliveries;
  };
}

/** Where to begin without `--since`, by the clock of the server. */
async function latestOf(session: Session, { id }: Input, seen: Map<string, Date>): Promise<Date> {
  const { deliveries } = await session.call('webhook delivery list', { id, page: 1, per_page: 1 });
  const [latest] = deliveries;
  if (!latest) return new Date(0);
  const createdAt = new Date(latest.created_at);
  seen.set(latest.id, createdAt);
  return createdAt;
}

/** Runs until Ctrl-C, which also aborts the current request; with `--once`, until nothing is left. */
async function listen(session: Session, asked: Input, options: Options): Promise<void> {
  const { once, json } = options;
  const url = addressOf(options['forwardTo'] as string);
  const { webhook, ...input } = asked;
  const id = (webhook as string | undefined) ?? (await onlyWebhook(session));
  const signal = stopOnSignal();
  const next = newDeliveriesOf(session, { ...input, id }, options);
  let deliveries = await next();
  if (!once) printNote(`Forwarding deliveries of ${id} to ${url}. Ctrl-C stops.`);
  if (once && deliveries.length === 0) printNote('Nothing to forward; --since goes further back.');
  for (;;) {
    for (const delivery of deliveries) {
      const { answer, milliseconds } = await forward(delivery, url, signal);
      if (signal.aborted) return;
      const { created_at: at, event, id: deliveryId } = delivery;
      if (json) printJson({ id: deliveryId, event, created_at: at, answer, milliseconds });
      else console.log([at, event.padEnd(longestKind), deliveryId, answer, `${milliseconds} ms`].join('  '));
    }
    if (once && deliveries.length < signedAtOnce) return;
    if (deliveries.length < signedAtOnce) await pause(lookAgainMilliseconds, signal);
    if (signal.aborted) return;
    deliveries = await next().catch(once ? undefined : (error: unknown) => noneForNow(error, signal));
    if (signal.aborted) return;
  }
}

/** A server that restarts, or asks to wait, does not end the listening. */
async function noneForNow(fault: unknown, signal: AbortSignal): Promise<Answer[]> {
  if (!(fault instanceof CommandError)) throw fault;
  if (fault instanceof TooSoon) await pause(fault.seconds * 1_000, signal);
  else if (fault.kind !== 'away') throw fault;
  return [];
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => {});
}

const longestKind = 'workflow.completed'.length;

function addressOf(text: string): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol)) return text;
  throw new CommandError('--forward-to must start with https:// or http://', 'usage');
}

const timeoutMilliseconds = 30_000;

async function forward({ headers, body }: Answer, url: string, signal: AbortSignal) {
  const startedAt = performance.now();
  const either = AbortSignal.any([signal, AbortSignal.timeout(timeoutMilliseconds)]);
  let answer: string;
  try {
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal: either });
    await response.arrayBuffer();
    answer = String(response.status);
  } catch (error) {
    const { message, cause } = error as Error;
    answer = plain(cause instanceof Error && cause.message ? cause.message : message);
  }
  return { answer, milliseconds: Math.round(performance.now() - startedAt) };
}

const millisecondsEach: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function millisecondsOf(text: string): number {
  const [, count, unit] = /^(\d{1,5})([smhd])$/.exec(text) ?? [];
  if (count && unit) return Number(count) * millisecondsEach[unit]!;
  throw new CommandError(`--since must be a time such as 30m, 1h or 7d, not "${text}"`, 'usage');
}

const addListenOptions = (command: Command): Command =>
  command
    .requiredOption('--forward-to <url>', 'target address, such as http://127.0.0.1:3000/hook')
    .option('--webhook <id>', 'whose deliveries; optional while there is only one webhook')
    .option(
      '--since <time>',
      'start with deliveries of this age: 30m, 1h, 7d; by default with the next',
      millisecondsOf,
    )
    .option('--once', 'stop after the existing deliveries');

export const webhookCommands: TailoredGroup = {
  'webhook list': { empty: 'No webhooks yet. `webhook create` makes one.' },
  'webhook delivery list': {
    words: 'webhook deliveries',
    limit: 20,
    empty: 'No matching deliveries.',
  },
  'webhook ping': {
    print: ({ id }) => {
      console.log(id);
      printNote(sentSoon);
    },
  },
  'webhook delivery resend': {
    words: 'webhook resend',
    title: 'resend deliveries',
    without: ['id', 'delivery_id'],
    more: (command) => command.argument('<delivery...>', 'del_… as `webhook deliveries` shows them'),
    run: resend,
    help: 'Example:\n  runcost webhook resend del_0195a3c81e4a7c2d8b6f3e1a5d9c7b20',
    print: (resent: Answer[]) => {
      for (const { id } of resent) console.log(id);
      printNote(sentSoon);
    },
  },
  'webhook resend create': {
    title: 'resend all deliveries that match, oldest first',
    run: resendMany,
    print: ({ resent, total }) => console.log(resent === undefined ? `${total} match.` : `Resent ${resent}.`),
  },
  'webhook delivery sign': {
    words: 'webhook listen',
    title: 'forward deliveries to another address as well, such as your own program',
    only: ['event'],
    more: addListenOptions,
    read: (input, { webhook }) => ({ ...input, webhook }),
    run: listen,
    help: `
Each is signed again with the webhook's secret, and sent from this machine. The delivery history stays as it is.

Example:
  runcost webhook listen --forward-to http://127.0.0.1:3000/hook --since 1h`,
  },
};

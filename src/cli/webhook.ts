import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Context } from '../context.ts';
import { eventKinds, pingKind } from '../events/eventKinds.ts';
import {
  forwardDelivery,
  getWebhookIdOf,
  listDeliveries,
  listenToDeliveries,
  resendDelivery,
} from '../outreach/webhooks/deliveries.ts';
import { deliveryView, webhookView } from '../outreach/webhooks/views.ts';
import { getWebhook, listWebhooks, pingWebhook } from '../outreach/webhooks/webhooks.ts';
import { createEgress, type EgressOutcome } from '../platform/egress/egress.ts';
import { invalid } from '../platform/lib/errors.ts';
import { type CommonOptions, contextFor, orgOption, wholeNumber, withApp } from './command.ts';
import { stopOnSignal } from './follow.ts';
import { plain, printJson, printLeftOut, printNote, printTable } from './output.ts';

const deliveredKinds = [...eventKinds, pingKind];
const deliveryStatuses = ['pending', 'success', 'failed', 'held'] as const;
const sentSoon = 'The running server sends it now; otherwise it is sent at the next start.';

export function addWebhookCommands(program: Command): void {
  const webhook = program.command('webhook').description('list, ping and resend webhook deliveries');
  addList(webhook);
  addDeliveries(webhook);
  addPing(webhook);
  addResend(webhook);
  addListen(webhook);
}

function addList(webhook: Command): void {
  webhook
    .command('list')
    .description('list the webhooks and their states')
    .option(...orgOption)
    .option('--json', 'print a JSON array')
    .action((options: CommonOptions) =>
      withApp(async (app) => {
        const webhooks = await listWebhooks(await contextFor(app, options.org));
        if (options.json) return printJson(webhooks.map((row) => webhookView(row, app.clock.now())));
        if (webhooks.length === 0)
          return printNote('No webhooks yet. Create one with POST /api/v1/webhooks.');
        printTable(
          ['WEBHOOK', 'NAME', 'URL', 'EVENTS', 'STATUS', 'LAST DELIVERY'],
          webhooks.map((row) => [
            row.id,
            row.name ?? '-',
            row.url,
            row.events.join(' '),
            row.status,
            lastDeliveryText(row),
          ]),
        );
      }),
    );
}

function lastDeliveryText(webhook: Awaited<ReturnType<typeof listWebhooks>>[number]): string {
  const { status, lastDeliveryAt, lastDeliveryStatus, lastResponseCode, nextAttemptAt } = webhook;
  if (!lastDeliveryAt) return 'none';
  const answer = lastResponseCode === null ? '' : ` (${lastResponseCode})`;
  const willRetry = lastDeliveryStatus === 'failed' && status !== 'paused' && nextAttemptAt;
  const retry = willRetry ? `, retry at ${nextAttemptAt.toISOString()}` : '';
  return `${lastDeliveryAt.toISOString()} ${lastDeliveryStatus}${answer}${retry}`;
}

type DeliveriesOptions = {
  org?: string;
  status?: (typeof deliveryStatuses)[number];
  event?: string;
  limit: number;
  json?: boolean;
};

function addDeliveries(webhook: Command): void {
  webhook
    .command('deliveries')
    .description('list the deliveries of a webhook, newest first')
    .argument('<id>', 'wh_… as `webhook list` shows it')
    .addOption(new Option('--status <status>', 'only those').choices(deliveryStatuses))
    .addOption(new Option('--event <kind>', 'only events of this type').choices(deliveredKinds))
    .option('--limit <number>', 'how many, up to 100', wholeNumber(1, 100), 20)
    .option(...orgOption)
    .option('--json', 'print a JSON array')
    .action((id: string, { org, status, event, limit, json }: DeliveriesOptions) =>
      withApp(async (app) => {
        const filter = { ...(status ? { status } : {}), ...(event ? { event } : {}) };
        const page = { page: 1, perPage: limit };
        const { deliveries, total } = await listDeliveries(await contextFor(app, org), id, filter, page);
        if (json) return printJson(deliveries.map(deliveryView));
        if (total === 0) return printNote('No matching deliveries.');
        printTable(
          ['DELIVERY', 'EVENT', 'CREATED', 'STATUS', 'ATTEMPTS', 'RESPONSE', 'MS'],
          deliveries.map((row) => [
            row.id,
            row.event,
            row.createdAt.toISOString(),
            row.status,
            String(row.attempts),
            String(row.responseCode ?? row.errorClass ?? '-'),
            String(row.responseTimeMs ?? '-'),
          ]),
        );
        printLeftOut(deliveries.length, total, 'deliveries', 100);
      }),
    );
}

function addPing(webhook: Command): void {
  webhook
    .command('ping')
    .description('send a test event to a webhook')
    .argument('<id>', 'wh_… as `webhook list` shows it')
    .option(...orgOption)
    .option('--json', 'print the delivery as JSON')
    .action((id: string, options: CommonOptions) =>
      withApp(async (app) => {
        const delivery = await pingWebhook(await contextFor(app, options.org), id);
        if (options.json) return printJson(deliveryView(delivery));
        console.log(delivery.id);
        printNote(sentSoon);
      }),
    );
}

function addResend(webhook: Command): void {
  webhook
    .command('resend')
    .description('resend deliveries')
    .argument('<delivery...>', 'del_… as `webhook deliveries` shows them')
    .option(...orgOption)
    .option('--json', 'print the deliveries as a JSON array')
    .action((ids: string[], options: CommonOptions) =>
      withApp(async (app) => {
        const ctx = await contextFor(app, options.org);
        const webhookIds: string[] = [];
        for (const id of ids) webhookIds.push(await getWebhookIdOf(ctx, id));
        const resent = [];
        for (const [index, id] of ids.entries()) {
          resent.push(await resendDelivery(ctx, webhookIds[index]!, id));
          if (!options.json) console.log(id);
        }
        if (options.json) printJson(resent.map(deliveryView));
        else printNote(sentSoon);
      }),
    );
}

type ListenOptions = {
  org?: string;
  forwardTo: string;
  webhook?: string;
  event?: string;
  since: number;
  once?: boolean;
};

function addListen(webhook: Command): void {
  webhook
    .command('listen')
    .description('forward deliveries to another address as well, such as your own program')
    .requiredOption('--forward-to <url>', 'target address, such as http://127.0.0.1:3000/hook')
    .option('--webhook <id>', 'whose deliveries; optional while there is only one webhook')
    .addOption(new Option('--event <kind>', 'only events of this type').choices(deliveredKinds))
    .addOption(
      new Option('--since <time>', 'start with deliveries of this age: 30m, 1h, 7d')
        .argParser(millisecondsOf)
        .default(0, 'now'),
    )
    .option('--once', 'stop after the existing deliveries')
    .option(...orgOption)
    .action((options: ListenOptions) =>
      withApp(async (app) => {
        // Loopback is always allowed, because a person who runs this has the database anyway.
        const egress = createEgress({ ...app.config.egress, allowLoopback: true });
        const ctx = { ...(await contextFor(app, options.org)), egress };
        const fault = egress.faultOf(options.forwardTo);
        if (fault) throw invalid('--forward-to', fault);
        try {
          await listen(ctx, await webhookFor(ctx, options.webhook), options);
        } finally {
          await egress.close();
        }
      }),
    );
}

async function webhookFor(ctx: Context, id: string | undefined): Promise<string> {
  if (id !== undefined) return (await getWebhook(ctx, id)).id;
  const [only, ...others] = await listWebhooks(ctx);
  if (only && others.length === 0) return only.id;
  throw invalid(
    '--webhook',
    only
      ? 'is required: there are several webhooks (see webhook list)'
      : 'has nothing to choose from: create a webhook with POST /api/v1/webhooks',
  );
}

const lookAgainMilliseconds = 500;

/** Runs until Ctrl-C, which also aborts the current request; with `--once`, until nothing is left. */
async function listen(ctx: Context, webhookId: string, options: ListenOptions): Promise<void> {
  const signal = stopOnSignal();
  const { forwardTo: url, event, once = false } = options;
  const now = ctx.clock.now();
  const next = listenToDeliveries(ctx, webhookId, {
    since: new Date(now.getTime() - options.since),
    ...(once ? { until: now } : {}),
    ...(event === undefined ? {} : { event }),
  });
  if (!once) printNote(`Forwarding deliveries of ${webhookId} to ${url}. Ctrl-C stops.`);
  let forwarded = 0;
  while (!signal.aborted) {
    const deliveries = await next();
    if (deliveries.length === 0 && once) break;
    if (deliveries.length === 0) await sleep(lookAgainMilliseconds, undefined, { signal }).catch(() => {});
    for (const delivery of deliveries) {
      const outcome = await forwardDelivery(ctx, delivery, { url, signal });
      if (signal.aborted) break;
      const { totalMilliseconds } = outcome.times;
      const cells = [delivery.createdAt.toISOString(), delivery.event.padEnd(longestKind), delivery.id];
      console.log([...cells, answerText(outcome), `${totalMilliseconds} ms`].join('  '));
      forwarded++;
    }
  }
  if (once && forwarded === 0) printNote('Nothing to forward; --since goes further back.');
}

const longestKind = Math.max(...deliveredKinds.map((kind) => kind.length));

function answerText(outcome: EgressOutcome): string {
  if (outcome.kind === 'answer') return String(outcome.statusCode);
  return plain(`${outcome.errorClass}: ${outcome.message}`);
}

const millisecondsEach: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function millisecondsOf(text: string): number {
  const [, count, unit] = /^(\d{1,5})([smhd])$/.exec(text) ?? [];
  if (!count || !unit) throw new InvalidArgumentError('It must be a time such as 30m, 1h or 7d.');
  return Number(count) * millisecondsEach[unit]!;
}

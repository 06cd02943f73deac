import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { EventData } from '../src/events/eventTypes.ts';
import { recordEvents } from '../src/events/outbox.ts';
import { webhookSubscribers } from '../src/outreach/webhooks/deliveries.ts';
import type { OpenDatabase } from '../src/platform/db/database.ts';
import { usd } from '../src/platform/lib/money.ts';
import { startProgram } from './program.ts';
import { isQuick } from './quick.ts';
import { logProgress, ratioOf, type Report, rounded } from './report.ts';
import { createWebhook, openStored, startService, type Service } from './service.ts';
import { median, percentile } from './statistics.ts';
import type { Storage } from './storage.ts';

const rounds = isQuick ? 1 : 5;
const deliveriesPerRound = isQuick ? 200 : 4_000;
const bareConnections = 64;
const latencySeconds = isQuick ? 1 : 10;
const ratesPerSecond = [50, 200];
const blackHoleDeliveries = isQuick ? 200 : 10_000;
const latencyRounds = isQuick ? 1 : 3;
const kind = 'cost.threshold';

type Bench = { service: Service; database: OpenDatabase; receiver: string; secret: string };
type Receipt = [id: string, at: number];

/**
 * Measures how fast events reach a receiver. Throughput is compared with a loop that only signs and posts the same bytes.
 * Latency is measured at two rates, alone and beside a webhook whose receiver never responds.
 */
export async function benchDelivery(storage: Storage, nodeOptions: string[]): Promise<Report> {
  const receiver = await startProgram([join(import.meta.dirname, 'webhookReceiver.ts')], {}, /\n/);
  const service = await startService(storage, nodeOptions);
  const database = await openStored(service);
  const url = receiver.output.trim();
  const { secret } = await createWebhook(service, `${url}/hook`, [kind]);
  const bench = { service, database, receiver: url, secret };
  logProgress('Measuring throughput …');
  const throughput = await measureThroughput(bench);
  logProgress('Measuring latency, alone and beside a receiver that never responds …');
  const latencies = await measureLatencies(bench);
  await database.close();
  await service.stop();
  await receiver.stop();
  return {
    headings: ['', 'RUNCOST', 'BARE', 'RATIO (ROUNDS)', 'GOAL'],
    rows: [
      [
        'deliveries per second',
        rounded(median(throughput.ours)),
        rounded(median(throughput.bare)),
        ratioOf(throughput.ours, throughput.bare),
        '≥ 0.50',
      ],
      ...latencies.flatMap(({ rate, alone, beside }) =>
        ([50, 95] as const).map((percent) => [
          `p${percent} at ${rate} events per second, in ms`,
          ...latencyFigures(alone[percent], beside[percent]),
        ]),
      ),
    ],
    notes: [
      `Throughput: ${deliveriesPerRound} deliveries are due at once. The receiver responds 204 at once, and each delivery's ` +
        `rows are written. Bare: a loop that signs and posts the same bytes on ${bareConnections} connections.`,
      `Latency: milliseconds from the commit of an event to its receipt. The column BARE has the same beside a webhook with ` +
        `${blackHoleDeliveries.toLocaleString('en-US')} due deliveries whose receiver never responds. Ratio: beside it ÷ alone.`,
    ],
  };
}

function latencyFigures(alone: number[], beside: number[]): string[] {
  return [median(alone).toFixed(1), median(beside).toFixed(1), ratioOf(beside, alone), '≤ 1.20'];
}

/** The first round is a warm-up and does not count. */
async function measureThroughput(bench: Bench) {
  const rates = { ours: [] as number[], bare: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    await recordExamples(bench, deliveriesPerRound);
    const times = (await receiptsOf(bench, deliveriesPerRound)).map(([, at]) => at);
    const ours = deliveriesPerRound / ((Math.max(...times) - Math.min(...times)) / 1_000);
    await settled(bench);
    const bare = deliveriesPerRound / (await sendBare(bench));
    if (round === 0) continue;
    rates.ours.push(ours);
    rates.bare.push(bare);
  }
  return rates;
}

async function sendBare({ service, receiver, secret }: Bench): Promise<number> {
  const { rows } = await service.db.query<{ id: string; body: string }>(
    'select id, body from events order by created_at desc, id desc limit $1',
    [deliveriesPerRound],
  );
  const task = { url: `${receiver}/hook`, bodies: rows, secret, connections: bareConnections };
  const sender = join(import.meta.dirname, 'bareSender.ts');
  const program = await startProgram([sender], {}, /took \S+ s/, JSON.stringify(task));
  await receiptsOf({ receiver }, deliveriesPerRound);
  await program.stop().catch(() => {}); // it may have ended by itself
  return Number(/took (\S+) s/.exec(program.output)![1]);
}

async function measureLatencies(bench: Bench) {
  const percents = () => ({ 50: [] as number[], 95: [] as number[] });
  const results = ratesPerSecond.map((rate) => ({ rate, alone: percents(), beside: percents() }));
  const measure = async (into: 'alone' | 'beside') => {
    for (const result of results) {
      const milliseconds = await latenciesAt(bench, result.rate);
      for (const percent of [50, 95] as const) result[into][percent].push(percentile(milliseconds, percent));
    }
  };
  for (let round = 0; round < latencyRounds; round++) await measure('alone');
  await createWebhook(bench.service, `${bench.receiver}/never`, ['alert.resolved']);
  await recordExamples(bench, blackHoleDeliveries, 'alert.resolved');
  for (let round = 0; round < latencyRounds; round++) await measure('beside');
  return results;
}

/** Records events at a steady rate. Returns the milliseconds from each commit to its receipt. */
async function latenciesAt(bench: Bench, rate: number): Promise<number[]> {
  const committed = new Map<string, number>();
  const count = rate * latencySeconds;
  const startedAt = performance.now();
  const recorded: Promise<void>[] = [];
  const note = async (happened: Promise<string[]>) => {
    const [id] = await happened;
    committed.set(id!, performance.timeOrigin + performance.now());
  };
  for (let index = 0; index < count; index++) {
    await delay(Math.max(0, startedAt + (index * 1_000) / rate - performance.now()));
    recorded.push(note(recordExamples(bench, 1)));
  }
  await Promise.all(recorded);
  const receipts = await receiptsOf(bench, count);
  return receipts.map(([id, at]) => at - committed.get(id)!);
}

const alertId = '0f8e0f6c-0f1c-4c9b-9a5e-5d5f3a1d7f10';
const exampleData = {
  'cost.threshold': {
    threshold: { percentage: 50, budget: usd(5_000_000_000_000n), current_spend: usd(2_503_720_000_000n) },
    measure: 'list_cost',
    scope: { type: 'organization', org: 'acme' },
    alert_id: alertId,
  },
  'alert.resolved': {
    alert: { id: alertId, name: 'CI budget' },
    resolution: {
      triggered_at: new Date('2026-03-18T12:00:00Z'),
      resolved_at: new Date('2026-04-01T00:12:00Z'),
      duration_hours: 324.2,
      reason: 'period_ended',
    },
  },
} satisfies Partial<EventData>;

/** Records events as the program does. Returns their ids. */
async function recordExamples(
  { service, database }: Bench,
  count: number,
  event: keyof typeof exampleData = kind,
): Promise<string[]> {
  const { orgId } = service;
  return database.db.transaction().execute((tx) =>
    recordEvents(
      tx,
      { orgId, now: new Date(), subscribers: webhookSubscribers },
      event,
      Array.from({ length: count }, () => exampleData[event]),
    ),
  );
}

/** Waits until the receiver has this many receipts. */
async function receiptsOf({ receiver }: Pick<Bench, 'receiver'>, count: number): Promise<Receipt[]> {
  const receipts: Receipt[] = [];
  const deadline = performance.now() + 120_000;
  while (receipts.length < count) {
    if (performance.now() > deadline) throw new Error(`${receipts.length} of ${count} have arrived`);
    const response = await fetch(`${receiver}/receipts`);
    receipts.push(...((await response.json()) as Receipt[]));
    await delay(50);
  }
  return receipts;
}

/** Waits until every result is stored. */
async function settled({ service }: Bench): Promise<void> {
  for (;;) {
    const { rows } = await service.db.query<{ count: string }>(
      "select count(*) from deliveries where status = 'pending' and event = $1",
      [kind],
    );
    if (Number(rows[0]!.count) === 0) return;
    await delay(50);
  }
}

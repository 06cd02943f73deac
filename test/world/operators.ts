import type { Random } from '../../src/platform/lib/random.ts';
import type { Answer } from '../harness/app.ts';
import { oneOf, sendReport, work, type Step } from './actions.ts';
import type { Sent } from './processes.ts';
import type { World } from './world.ts';

/** Asks again until somebody answers. All of these requests may be repeated. */
export async function insist(world: World, random: Random, sent: Sent): Promise<Answer> {
  for (;;) {
    await world.revive();
    const process = oneOf(random, world.processes);
    const got: (Answer | null)[] = [];
    world.begin(process, async () => void got.push(await world.ask(process, sent)));
    while (got.length === 0 && (await world.scheduler.turn()));
    const [answer] = got;
    if (answer && answer.status < 500) return answer;
  }
}

/** One that was not acknowledged could come before or after what is asked for next. */
export async function acknowledgeAll(world: World, random: Random): Promise<void> {
  for (let report; (report = world.unacknowledged[0]);) {
    if (world.reportsUnderWay === 0) {
      await world.revive();
      world.unacknowledged.shift();
      await sendReport(world, oneOf(random, world.processes), report);
    }
    await world.scheduler.turn();
  }
}

export const changePrices: Step = async (world, random) => {
  const book = oneOf(random, ['github_2025', 'github_2026', 'github_by_date']);
  if (world.isRepricing) return 'prices stay while they are applied';
  await acknowledgeAll(world, random);
  const sent: Sent = { method: 'PUT', path: '/api/v1/pricing', body: { book_id: book } };
  const at = world.now();
  const answer = await insist(world, random, sent);
  if (answer.status !== 200) throw new Error(`prices: ${answer.text}`);
  world.history.push({ at, ...sent, answer });
  return `prices are those of ${book}`;
};

export const reprice: Step = async (world, random) => {
  const today = world.now().toISOString().slice(0, 10);
  const sent: Sent = { path: '/api/v1/reprices', body: { from: '2026-02-20', to: today } };
  const at = world.now();
  const wasRepricing = world.isRepricing;
  world.isRepricing = true;
  const answer = await insist(world, random, sent);
  // An earlier request that nobody answered may have begun it.
  if (answer.status === 409 && !wasRepricing) world.isAmbiguous = true;
  if (![202, 409].includes(answer.status)) throw new Error(`reprice: ${answer.text}`);
  world.history.push({ at, ...sent, answer });
  return `reprice until ${today}: ${answer.status}`;
};

export const keepLess: Step = async (world, random) => {
  const days = oneOf(random, [90, 120]);
  const sent: Sent = { method: 'PUT', path: '/api/v1/organization', body: { run_retention_days: days } };
  world.keptDays = Math.min(days, world.keptDays ?? days);
  const at = world.now();
  const answer = await insist(world, random, sent);
  if (answer.status !== 200) throw new Error(`retention: ${answer.text}`);
  world.history.push({ at, ...sent, answer });
  work(world, oneOf(random, world.processes), 'tasks: reprice', 'start removals', 'tasks: removal');
  return `runs are kept for ${days} days`;
};

/** By hand, which waits until somebody was notified. */
export const checkAlert: Step = (world, random) => {
  const process = oneOf(random, world.processes);
  const alert = oneOf(random, world.template.alerts);
  world.begin(process, async () => {
    const answer = await world.ask(process, { path: `/api/v1/alerts/${alert}/check` });
    if (answer && answer.status !== 200 && answer.status < 500) throw new Error(`check: ${answer.text}`);
    if (answer?.body?.notification_sent) world.sometimes('a check by hand notified somebody');
  });
  return `${process.place.name}: check ${alert}`;
};

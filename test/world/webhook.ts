import { oneOf, type Step } from './actions.ts';
import { insist } from './operators.ts';
import type { Sent } from './processes.ts';
import type { WebhookState } from './receiver.ts';
import type { World } from './world.ts';

async function become(world: World, next: Partial<WebhookState>, sent: Sent): Promise<void> {
  const state = { ...world.webhook.at(-1)!, ...next, since: null as Date | null };
  world.webhook.push(state);
  const path = `/api/v1/webhooks/${world.template.webhook.id}${sent.path}`;
  const answer = await insist(world, world.random, { ...sent, path });
  if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`);
  state.since = world.now();
  world.forward(0.001);
}

/** Paused, it holds its deliveries. */
export async function pause(world: World, isPaused: boolean): Promise<void> {
  const { rowCount } = await world.watcher.query(`select from deliveries where status = 'held'`);
  if (rowCount) world.sometimes('a paused webhook held deliveries', rowCount);
  await become(
    world,
    { isPaused },
    { method: 'PUT', path: '', body: { status: isPaused ? 'paused' : 'active' } },
  );
}

export const changeWebhook: Step = async (world, random) => {
  const { isPaused } = world.webhook.at(-1)!;
  if (isPaused || random() < 0.3) {
    await pause(world, !isPaused);
    return isPaused ? 'the webhook goes on' : 'the webhook is paused';
  }
  const number = world.webhook.length;
  if (random() < 0.5) {
    const secret = `whsec_${Buffer.alloc(24, number).toString('base64')}`;
    await become(world, { secret }, { path: '/rotate-secret', body: { secret } });
    return 'the secret of the webhook is rotated';
  }
  const url = `https://hooks${number}.example.com/world`;
  await become(world, { url }, { method: 'PUT', path: '', body: { url } });
  return `the webhook is at ${url}`;
};

/** By hand, whatever became of it. */
export const resend: Step = async (world, random) => {
  const { rows } = await world.watcher.query<{ id: string }>('select id from deliveries order by 1');
  const delivery = oneOf(random, rows);
  const process = oneOf(random, world.processes);
  if (!delivery) return 'nothing to resend';
  const path = `/api/v1/webhooks/${world.template.webhook.id}/deliveries/${delivery.id}/resend`;
  world.begin(process, async () => {
    const answer = await world.ask(process, { path });
    if (answer && answer.status >= 400 && ![404, 409].includes(answer.status) && answer.status < 500)
      throw new Error(`${path}: ${answer.text}`);
  });
  return `${process.place.name}: resend ${delivery.id}`;
};

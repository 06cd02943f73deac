/**
 * The limit for deliveries: a loop that signs and posts bodies, and stores nothing. Reads JSON from standard input and
 * prints the seconds it took.
 */
import { text } from 'node:stream/consumers';
import { Agent } from 'undici';
import { signedHeaders } from '../src/outreach/webhooks/signing.ts';

type Task = { url: string; bodies: { id: string; body: string }[]; secret: string; connections: number };

const { url, bodies, secret, connections } = JSON.parse(await text(process.stdin)) as Task;
const { origin, pathname } = new URL(url);
const agent = new Agent({ connections, allowH2: false });
const waiting = bodies.values();

async function send(): Promise<void> {
  for (const { id: eventId, body: bytes } of waiting) {
    const body = Buffer.from(bytes);
    const headers = signedHeaders({
      deliveryId: eventId,
      eventId,
      event: 'cost.threshold',
      attempt: 1,
      body,
      secrets: {
        current: secret,
        next: null,
      },
      now: new Date(),
    });
    const answer = await agent.request({ origin, path: pathname, method: 'POST', headers, body });
    await answer.body.dump();
    if (answer.statusCode !== 204) throw new Error(`answered ${answer.statusCode}`);
  }
}

const startedAt = performance.now();
await Promise.all(Array.from({ length: connections }, send));
console.log(`took ${(performance.now() - startedAt) / 1_000} s`);
await agent.close();

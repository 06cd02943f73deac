import { createHmac } from 'node:crypto';
import type pg from 'pg';
import type { Sometimes } from './sometimes.ts';

/** As its owner knows it, since a request was acknowledged. Until then, nobody knows whether it was done. */
export type WebhookState = { url: string; secret: string; isPaused: boolean; since: Date | null };

const leaseSeconds = 60;
const rotationMilliseconds = 24 * 3_600_000;

/** What the receiver sees of the world. */
export type Surroundings = {
  readonly watcher: pg.Client;
  readonly scheduler: { readonly names: ReadonlyMap<number, string> };
  readonly webhook: readonly WebhookState[];
  now: () => Date;
  sometimes: (what: Sometimes) => void;
};

type Post = { url: string; headers: Record<string, string>; body: Buffer };
type Delivery = { isSent: boolean; isByHand: boolean; claimedAt: Date | null };

/** What is wrong with a request to the receiver. */
export async function faultsOfPost(world: Surroundings, post: Post): Promise<string[]> {
  const id = post.headers['x-service-delivery']!;
  const { isSent, isByHand, claimedAt } = await findDelivery(world.watcher, id);
  if (isSent && !isByHand)
    return [`event ${post.headers['webhook-id']} is sent again after its success was stored`];
  const signatures = post.headers['webhook-signature']!.split(' ');
  if (isByHand) world.sometimes('a delivery was resent by hand');
  if (signatures.length > 1) world.sometimes('two secrets signed a delivery');
  if (post.url !== world.webhook[0]!.url) world.sometimes('a delivery went to a new address');
  // It was claimed with the last state of then, or with one that came meanwhile.
  const known = world.webhook.findLastIndex(({ since }) => since !== null && since < (claimedAt ?? since));
  const allowed = world.webhook.slice(Math.max(known, 0));
  const isOf = ({ url, secret, isPaused }: WebhookState) =>
    url === post.url && (!isPaused || isByHand) && signatures.includes(signatureBy(secret, post));
  const rotated = world.webhook.findLast(({ secret }, at) => secret !== world.webhook[at - 1]?.secret)!;
  const isLate = rotated.since && world.now().getTime() >= rotated.since.getTime() + rotationMilliseconds;
  return [
    ...(allowed.some(isOf) ? [] : [`delivery ${id} to ${post.url} shows an old state of its webhook`]),
    ...(isLate && signatures.length > 1 ? [`delivery ${id} is signed by a secret that was replaced`] : []),
  ];
}

async function findDelivery(watcher: pg.Client, id: string): Promise<Delivery> {
  const { rows } = await watcher.query<Delivery>(
    `select status = 'success' as "isSent", resend_at is not null as "isByHand",
      leased_until - interval '${leaseSeconds} seconds' as "claimedAt" from deliveries where id = $1`,
    [id],
  );
  return rows[0]!;
}

function signatureBy(secret: string, { headers, body }: Post): string {
  const hmac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'));
  return `v1,${hmac.update(`${headers['webhook-id']}.${headers['webhook-timestamp']}.`).update(body).digest('base64')}`;
}

/** One that slept longer than its lease may send again what another one sent meanwhile, with the same Message-ID. */
export async function faultsOfMail(
  { watcher, scheduler }: Surroundings,
  sender: string,
  id: string,
): Promise<string[]> {
  const { rows } = await watcher.query<{ pid: number }>(
    `select pid from world.writes w join notifications on of = 'notifications ' || id
     where id = $1 and status = 'sent' and next_lease is not null and next_lease is distinct from w.lease
     order by number desc limit 1`,
    [id],
  );
  const isOwn = rows.some(({ pid }) => scheduler.names.get(pid) === sender);
  return isOwn ? [`mail ${id} is sent again after its success was stored`] : [];
}

import type { Context } from '../../context.ts';
import type { EventKind } from '../../events/eventKinds.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { requireRoom } from '../../tenancy/organizations/locks.ts';
import { countWebhooks, insertWebhook, type WebhookRow } from './queries.ts';
import { chooseSecret } from './secrets.ts';

export type WebhookSettings = {
  url: string;
  events: EventKind[];
  secret?: string;
  status?: 'active' | 'paused';
};

export type CreatedWebhook = { webhook: WebhookRow; secret: string; warnings: string[] };

const maxWebhooks = 50;
const pausedWarning = 'The webhook is paused: events are kept, and sent once its status is active.';

/** Creates a webhook and answers it with its secret, which is not shown again. */
export async function createWebhook(ctx: Context, settings: WebhookSettings): Promise<CreatedWebhook> {
  const { db, actor, clock, vault } = ctx;
  const { url, events, status = 'active' } = settings;
  requireCallable(ctx, url);
  const secret = chooseSecret(settings.secret);
  const now = clock.now();
  const webhook = await db.transaction().execute(async (tx) => {
    await requireRoom(tx, actor.orgId, {
      things: 'webhooks',
      max: maxWebhooks,
      count: () => countWebhooks(tx, actor.orgId),
      advice: 'Delete one first.',
    });
    const created = await insertWebhook(tx, {
      orgId: actor.orgId,
      id: randomId('wh'),
      url,
      events,
      status,
      secret: vault.seal(secret.text),
      secretPrefix: secret.prefix,
      createdAt: now,
      updatedAt: now,
    });
    await recordAudit(tx, ctx, 'webhook.create', created.id, { host: hostOf(url), events, status });
    return created;
  });
  const warnings = status === 'paused' ? [...secret.warnings, pausedWarning] : secret.warnings;
  return { webhook, secret: secret.text, warnings };
}

/** Throws where the URL is none that may be called. */
export function requireCallable({ egress }: Pick<Context, 'egress'>, url: string): void {
  // A URL parser would drop line breaks silently, and what is stored should be what is called.
  const fault = /[\s\p{Cc}]/u.test(url) ? 'must hold no spaces or control characters' : egress.faultOf(url);
  if (fault) throw invalid('body.url', fault);
}

/** What the audit log may hold of a URL: paths and queries of webhooks are often secrets. */
export function hostOf(url: string): string {
  return new URL(url).host;
}

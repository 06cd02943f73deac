import { invalid, PublicError } from '../lib/errors.ts';
import { hasRole, type Plan } from '../lib/actor.ts';
import type { Context } from './context.ts';
import { getOrganization, type ChatFormat, type Organization } from './getOrganization.ts';
import { changeOrganization } from './queries.ts';
import { recordAudit } from './recordAudit.ts';

export type OrganizationChanges = {
  name?: string;
  login?: string | null;
  plan?: Plan;
  /** Without a URL, the one that is set stays. */
  chat_webhook?: { url?: string; format?: ChatFormat } | null;
};

/** Changes what is given and answers the organization. Only an owner may change the plan. */
export async function updateOrganization(ctx: Context, changes: OrganizationChanges): Promise<Organization> {
  const { db, actor, clock } = ctx;
  const current = await getOrganization(ctx);
  if (changes.plan && changes.plan !== current.plan && !hasRole(actor.role, 'owner')) {
    throw new PublicError('forbidden', 'role_too_low', 'Only an owner may change the plan.');
  }
  if (Object.keys(changes).length === 0) return current;
  const { name, login, plan } = changes;
  const chatWebhook = chatWebhookColumns(ctx, current, changes.chat_webhook);
  await db.transaction().execute(async (tx) => {
    await changeOrganization(tx, actor.orgId, {
      ...(name === undefined ? {} : { name }),
      ...(login === undefined ? {} : { login }),
      ...(plan === undefined ? {} : { plan }),
      ...chatWebhook,
      updatedAt: clock.now(),
    });
    // The chat webhook's URL is a secret: the log tells that it changed.
    await recordAudit(tx, ctx, 'organization.update', actor.orgId, { changed: Object.keys(changes) });
  });
  return getOrganization(ctx);
}

function chatWebhookColumns(
  ctx: Context,
  current: Organization,
  changes: OrganizationChanges['chat_webhook'],
) {
  if (changes === undefined) return {};
  if (changes === null) return { chatWebhookUrl: null, chatWebhookHost: null, chatWebhookFormat: null };
  const { url, format } = changes;
  if (url === undefined && !current.chatWebhook) throw invalid('body.chat_webhook.url', 'is required');
  return {
    ...(url === undefined ? {} : chatAddressColumns(ctx, url)),
    chatWebhookFormat: format ?? current.chatWebhook?.format ?? 'slack',
  };
}

function chatAddressColumns({ vault, egress }: Context, address: string) {
  const fault = egress.faultOf(address);
  if (fault) throw invalid('body.chat_webhook.url', fault);
  const url = new URL(address);
  return { chatWebhookUrl: vault.seal(url.href), chatWebhookHost: url.host };
}

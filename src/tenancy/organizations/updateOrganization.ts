import type { Context } from '../../context.ts';
import { hasRole, type Plan } from '../../platform/lib/actor.ts';
import { invalid, PublicError } from '../../platform/lib/errors.ts';
import { differences, recordAudit } from '../audit/audit.ts';
import { getChatWebhook } from './getChatWebhook.ts';
import { getOrganization, type ChatFormat, type Organization } from './getOrganization.ts';
import { changeOrganization } from './queries.ts';

export type OrganizationChanges = {
  name?: string;
  login?: string | null;
  plan?: Plan;
  /** Without a URL, the one that is set stays. */
  chat_webhook?: { url?: string; format?: ChatFormat } | null;
};

/** Changes what is given and different, and answers the organization. Only an owner may change the plan. */
export async function updateOrganization(ctx: Context, changes: OrganizationChanges): Promise<Organization> {
  const { db, actor, clock } = ctx;
  const current = await getOrganization(ctx);
  if (changes.plan && changes.plan !== current.plan && !hasRole(actor.role, 'owner')) {
    throw new PublicError('forbidden', 'role_too_low', 'Only an owner may change the plan.');
  }
  const { chat_webhook: chat, ...given } = changes;
  const chatColumns = chatWebhookColumns(ctx, current, chat);
  const { name, login, plan, chatWebhook } = current;
  const changed = differences(
    { name, login, plan, chat_webhook: chatWebhook },
    { ...given, ...(chat !== undefined && { chat_webhook: await chatDetails(ctx, current, chat) }) },
  );
  if (!changed) return current;
  await db.transaction().execute(async (tx) => {
    await changeOrganization(tx, actor.orgId, { ...given, ...chatColumns, updatedAt: clock.now() });
    await recordAudit(tx, ctx, 'organization.update', actor.orgId, changed);
  });
  return getOrganization(ctx);
}

/** What the log tells of the chat. Its URL is a secret: that it changed is all that is told of it. */
async function chatDetails(
  ctx: Context,
  { orgId, chatWebhook }: Organization,
  chat: NonNullable<OrganizationChanges['chat_webhook']> | null,
) {
  if (chat === null) return null;
  const format = chat.format ?? chatWebhook?.format ?? 'slack';
  if (chat.url === undefined) return { host: chatWebhook?.host ?? null, format };
  const { href, host } = new URL(chat.url);
  const before = await getChatWebhook(ctx, orgId);
  return { host, format, ...(before && before.url !== href && { url: 'changed' }) };
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

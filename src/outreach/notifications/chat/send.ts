import type { Program } from '../../../context.ts';
import type { EgressOutcome } from '../../../platform/egress/egress.ts';
import { invalid, PublicError } from '../../../platform/lib/errors.ts';
import { recordAudit } from '../../../tenancy/audit/audit.ts';
import {
  getChatWebhook,
  getOrganization,
  type ChatFormat,
} from '../../../tenancy/organizations/organizations.ts';
import type { Failure, NotificationContext, NotificationProgram, TestOutcome } from '../context.ts';
import type { NotificationRow } from '../queries.ts';
import { dashboardOf, type AlertNotice } from '../wording.ts';
import { chatMessage, digestChatMessage, testChatMessage } from './message.ts';

const alertMilliseconds = 30_000;
const testMilliseconds = 10_000;

function postToChat(
  { egress }: Pick<Program, 'egress'>,
  { url, body, timeoutMilliseconds }: { url: string; body: string; timeoutMilliseconds: number },
): Promise<EgressOutcome> {
  return egress.post({
    url,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: Buffer.from(body),
    timeoutMilliseconds,
  });
}

export async function sendChat(program: NotificationProgram, row: NotificationRow): Promise<Failure> {
  const { orgId, notice } = row;
  const chat = await getChatWebhook(program, orgId);
  if (!chat) return { message: 'the chat webhook was removed', isPermanent: true };
  const digest = program.digests.isDigest(notice) ? await program.digests.chat(program, row) : undefined;
  if (digest === null) return { message: 'the digest no longer goes to the chat', isPermanent: true };
  const outcome = await postToChat(program, {
    url: chat.url,
    body: digest
      ? digestChatMessage(chat.format, digest)
      : chatMessage(chat.format, notice as AlertNotice, dashboardOf(program, orgId)),
    timeoutMilliseconds: alertMilliseconds,
  });
  if (outcome.kind === 'failure') return { message: outcome.message, isPermanent: false };
  const { statusCode } = outcome;
  if (statusCode >= 200 && statusCode < 300) return null;
  // Statuses 408 and 429 ask to try again later.
  const isRefusal = statusCode >= 400 && statusCode < 500 && ![408, 429].includes(statusCode);
  return { message: `the chat answered ${statusCode}`, isPermanent: isRefusal };
}

/**
 * Sends a test message to the given chat webhook, with missing parts from the saved one. Throws if there is
 * no address.
 */
export async function sendTestChat(
  ctx: NotificationContext,
  given: { url?: string; format?: ChatFormat },
): Promise<TestOutcome> {
  const { db, actor, clock } = ctx;
  const { url, format } = await chatToTest(ctx, given);
  const organization = await getOrganization(ctx);
  const host = new URL(url).host;
  await db
    .transaction()
    .execute((tx) => recordAudit(tx, ctx, 'chat_webhook.test', actor.orgId, { host, format }));
  const notice = {
    organization: organization.login ?? organization.name,
    sentAt: clock.now().toISOString(),
  };
  const body = testChatMessage(format, notice, dashboardOf(ctx, actor.orgId));
  return outcomeOf(await postToChat(ctx, { url, body, timeoutMilliseconds: testMilliseconds }));
}

async function chatToTest(
  ctx: NotificationContext,
  { url, format }: { url?: string; format?: ChatFormat },
): Promise<{ url: string; format: ChatFormat }> {
  const saved = await getChatWebhook(ctx, ctx.actor.orgId);
  const fault = url === undefined ? null : ctx.egress.faultOf(url);
  if (fault) throw invalid('url', fault);
  const address = url ?? saved?.url;
  if (address !== undefined) return { url: address, format: format ?? saved?.format ?? 'slack' };
  throw new PublicError(
    'conflict',
    'no_chat_webhook',
    'No chat webhook is set. Send its `url`, or save it first: PUT /api/v1/organization, chat_webhook.',
  );
}

/** The texts contain neither the address nor the response, because both may contain the secret. */
function outcomeOf(outcome: EgressOutcome): TestOutcome {
  if (outcome.kind === 'failure') {
    const error = `Could not reach the chat: ${outcome.message}.`;
    return { delivered: false, statusCode: null, error };
  }
  const { statusCode } = outcome;
  if (statusCode >= 200 && statusCode < 300) return { delivered: true, statusCode, error: null };
  return { delivered: false, statusCode, error: `The chat answered ${statusCode}: ${adviceOn(statusCode)}` };
}

function adviceOn(statusCode: number): string {
  if (statusCode >= 300 && statusCode < 400) {
    return 'the webhook redirects, and Runcost follows no redirects. Use the address that it redirects to.';
  }
  if ([401, 403, 404, 410].includes(statusCode)) {
    return 'it does not know this webhook. Create a new incoming webhook there and use its address.';
  }
  if (statusCode === 429) return 'it received too many messages. Try again in a minute.';
  if (statusCode === 408 || statusCode >= 500) return 'it has a problem. Try again later.';
  return 'it refused the message. Check that the format matches your chat.';
}

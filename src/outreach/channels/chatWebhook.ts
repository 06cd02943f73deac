import type { Transaction } from '../../platform/db/database.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import type { AddedField } from '../../tenancy/organizations/organizations.ts';
import {
  addChannel,
  defaultName,
  findDefault,
  kindOf,
  removeUnused,
  replaceChannel,
  requireRoomForOne,
  type Channel,
} from './channels.ts';
import type { ChannelContext } from './context.ts';
import { sendTest, type TestOutcome } from './send.ts';
import { readSettings } from './settings.ts';

/** What the default channel is called as the chat webhook of the organization, by its kind. */
const formats: Record<string, ChatFormat> = {
  slack: 'slack',
  teams: 'teams',
  discord: 'discord',
  webhook: 'json',
};

export const chatFormats = ['slack', 'teams', 'discord', 'json'] as const;
type ChatFormat = (typeof chatFormats)[number];

export type ChatWebhook = { host: string; format: ChatFormat } | null;
/** Without a URL, the current one is kept. */
export type ChatWebhookInput = { url?: string; format?: ChatFormat } | null;

/** Null if there is no default channel, or one of a kind that has no format here. */
function viewOf(channel: Pick<Channel, 'kind' | 'settings'> | undefined): ChatWebhook {
  const format = channel && formats[channel.kind];
  if (!channel || !format) return null;
  return { host: (channel.settings.url as string).replace('/…', ''), format };
}

/** The documented `chat_webhook` of the organization: a view of its default channel. */
export const chatWebhook: AddedField<ChannelContext, ChatWebhook, ChatWebhookInput> = {
  view: async ({ db, actor }) => viewOf(await findDefault(db, actor.orgId)),

  plan: async (ctx, given) => {
    const current = await findDefault(ctx.db, ctx.actor.orgId);
    const before = viewOf(current);
    if (given === null) return { before, after: null, save: (tx) => removeChat(tx, ctx) };
    const { chat, hasOtherSecret } = readToSave(ctx, given, current);
    const after = { ...viewOf(chat), ...(hasOtherSecret && { url: 'changed' }) };
    return { before, after, save: (tx) => saveChat(tx, ctx, given) };
  },
};

type Given = NonNullable<ChatWebhookInput>;

/** Throws if the default channel is of another kind, whose settings would be lost. */
function readToSave(ctx: ChannelContext, given: Given, current: Channel | undefined) {
  if (current && !viewOf(current)) {
    const title = ctx.channelKinds[current.kind]?.title ?? current.kind;
    const message = `The channel named ${current.name} is of the kind ${title}. Change it under channels: PUT /api/v1/channels/${current.id}.`;
    throw new PublicError('conflict', 'default_is_no_chat', message);
  }
  return readChat(ctx, given, { current, at: 'chat_webhook.' });
}

type Reading = { current: Channel | undefined; at: string };

function readChat(ctx: ChannelContext, { url, format }: Given, { current, at }: Reading) {
  const seen = viewOf(current);
  const wanted = format ?? seen?.format ?? 'slack';
  const kind = Object.keys(formats).find((name) => formats[name] === wanted)!;
  const { stored, hasOtherSecret } = readSettings(ctx, kindOf(ctx, kind), {
    given: url === undefined ? {} : { url },
    before: seen ? current : undefined,
    at,
  });
  return { chat: { ...stored, kind }, hasOtherSecret };
}

/** The transaction holds the organization's row: the default channel may have changed since it was planned. */
async function saveChat(tx: Transaction, ctx: ChannelContext, given: Given): Promise<void> {
  const current = await findDefault(tx, ctx.actor.orgId);
  const { chat } = readToSave(ctx, given, current);
  if (!current) {
    await requireRoomForOne(tx, ctx.actor.orgId);
    await addChannel(tx, ctx, { ...chat, name: defaultName, teams: [] });
    return;
  }
  await replaceChannel(tx, current, {
    kind: chat.kind,
    settings: JSON.stringify(chat.settings),
    secrets: JSON.stringify(chat.secrets),
    updatedAt: ctx.clock.now(),
  });
}

/** A default channel of another kind stays: whoever sends back what they read has null for it. */
async function removeChat(tx: Transaction, ctx: ChannelContext): Promise<void> {
  const current = await findDefault(tx, ctx.actor.orgId);
  if (current && viewOf(current)) await removeUnused(tx, ctx, current);
}

/** Missing parts come from the saved one. */
export async function testChatWebhook(ctx: ChannelContext, given: Given): Promise<TestOutcome> {
  const { db, actor } = ctx;
  const current = await findDefault(db, actor.orgId);
  if (given.url === undefined && !viewOf(current)) {
    throw new PublicError(
      'conflict',
      'no_chat_webhook',
      'No chat webhook is set. Send its `url`, or save it first: PUT /api/v1/organization, chat_webhook.',
    );
  }
  const { chat } = readChat(ctx, given, { current, at: '' });
  const details = viewOf(chat)!;
  await db
    .transaction()
    .execute((tx) => recordAudit(tx, ctx, 'chat_webhook.test', actor.orgId, { ...details }));
  return sendTest(ctx, kindOf(ctx, chat.kind), chat);
}

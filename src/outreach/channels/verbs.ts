import { Type } from 'typebox';
import { idParams, nullable, sampleChannelId, TestOutcomeSchema } from '../../platform/http/schemas.ts';
import { deletes, type VerbContext, verbsWith } from '../../platform/http/verbs.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import {
  createChannel,
  deleteChannel,
  getChannel,
  listChannels,
  updateChannel,
  type Channel,
} from './channels.ts';
import { chatWebhook, testChatWebhook } from './chatWebhook.ts';
import type { ChannelContext, ChannelProgram, LastMessage } from './context.ts';
import type { ChannelKinds } from './kind.ts';
import {
  ChannelChangesBody,
  ChannelKindsSchema,
  ChannelSchema,
  ChatWebhookInputSchema,
  ChatWebhookSchema,
  NewChannelBody,
  TestChannelBody,
  TestChatBody,
} from './schema.ts';
import { testChannel } from './send.ts';

/** `chat_webhook` of the organization. */
export const chatWebhookField = {
  ...chatWebhook,
  answer: ChatWebhookSchema,
  input: ChatWebhookInputSchema,
  example: { url: 'https://chat.acme.example/hooks/ci', format: 'slack' },
};

const params = idParams(sampleChannelId);
const tag = 'Channels';
const read = { tag, access: { scope: 'alerts:read', role: 'viewer' } } as const;
const write = { tag, access: { scope: 'admin', role: 'admin' } } as const;

const verb = verbsWith<VerbContext & ChannelProgram>();

export const channelVerbs = [
  verb({
    ...read,
    name: 'channel kind list',
    at: 'GET /channel-kinds',
    title: 'List the kinds of channels',
    description: 'Says of each kind which fields a channel has, and how to get them.',
    columns: ['kind', 'title', 'description'],
    answer: ChannelKindsSchema,
    run: ({ channelKinds }) => kindViews(channelKinds),
  }),
  verb({
    ...read,
    name: 'channel list',
    at: 'GET /channels',
    title: 'List the channels',
    page: '/settings/notifications',
    description: 'By name. Secrets are shown in part.',
    columns: ['id', 'name', 'kind', 'teams', 'last_message.status', 'last_message.error'],
    answer: Type.Array(ChannelSchema),
    run: async (ctx) => {
      const last = await ctx.lastMessages(ctx.db, ctx.actor.orgId);
      return (await listChannels(ctx)).map((channel) => channelView(channel, last));
    },
  }),
  verb({
    ...write,
    name: 'channel create',
    at: 'POST /channels',
    title: 'Create a channel',
    description:
      'Alerts and digests choose channels by id. The one named `default` gets each alert that chooses none. An organization can have 50.',
    body: NewChannelBody,
    status: 201,
    answer: ChannelSchema,
    faults: [409],
    run: async (ctx, { body }) => viewOf(ctx, await createChannel(ctx, body)),
  }),
  verb({
    ...write,
    name: 'channel test',
    at: 'POST /channels/test',
    title: 'Send a test message to a channel',
    description:
      'Tests a saved channel, or settings before you save them. Responds within 20 seconds, with 200 even if the receiver refuses the message.',
    body: TestChannelBody,
    answer: TestOutcomeSchema,
    faults: [404, 409],
    run: async (ctx, { body }) => apiFields(await testChannel(ctx, body)),
  }),
  verb({
    ...read,
    name: 'channel get',
    at: 'GET /channels/:id',
    title: 'Get a channel',
    params,
    answer: ChannelSchema,
    faults: [404],
    run: async (ctx, { params: { id } }) => viewOf(ctx, await getChannel(ctx, id)),
  }),
  verb({
    ...write,
    name: 'channel update',
    at: 'PUT /channels/:id',
    title: 'Change a channel',
    description: 'Changes the fields that you send, and of `settings` those that you send. The kind stays.',
    params,
    body: ChannelChangesBody,
    answer: ChannelSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id }, body }) => viewOf(ctx, await updateChannel(ctx, id, body)),
  }),
  verb({
    ...write,
    name: 'channel delete',
    at: 'DELETE /channels/:id',
    title: 'Delete a channel',
    description: 'Responds with 409 if alerts or digests choose it, and names them.',
    ...deletes(sampleChannelId, deleteChannel),
    faults: [404, 409],
  }),
  verb({
    name: 'org chat test',
    at: 'POST /organization/chat-webhook/test',
    access: write.access,
    tag: 'Organization',
    title: 'Send a test message to the chat webhook',
    description:
      'Works before you save a chat webhook. Responds within ten seconds, with 200 even if the chat refuses the message.',
    body: nullable(TestChatBody),
    answer: TestOutcomeSchema,
    faults: [409],
    run: async (ctx, { body }) => apiFields(await testChatWebhook(ctx, body ?? {})),
  }),
];

function kindViews(kinds: ChannelKinds) {
  return Object.entries(kinds).map(([kind, { title, description, fields, ...traits }]) => ({
    kind,
    title,
    description,
    takes_digests: !traits.isForAlertsOnly,
    takes_resolutions: traits.takesResolutions === true,
    fields: Object.entries(fields).map(([name, field]) => ({
      name,
      title: field.title,
      type: field.type,
      is_secret: field.isSecret === true,
      is_required: !field.isOptional,
      help: field.help,
      example: field.example ?? null,
      choices: Object.entries(field.choices ?? {}).map(([value, label]) => ({ value, label })),
    })),
  }));
}

async function viewOf(ctx: ChannelContext, channel: Channel) {
  return channelView(channel, await ctx.lastMessages(ctx.db, channel.orgId));
}

function channelView({ secrets: _, ...channel }: Channel, last: ReadonlyMap<string, LastMessage>) {
  return { ...apiFields(channel), last_message: last.get(channel.id) ?? null };
}

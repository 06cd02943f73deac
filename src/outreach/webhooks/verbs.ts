import { Type } from 'typebox';
import { eventTypes } from '../../events/eventTypes.ts';
import { idParams, sampleText } from '../../platform/http/schemas.ts';
import { deletes, verb } from '../../platform/http/verbs.ts';
import { deliveryVerbs, read, write } from './deliveries.verbs.ts';
import {
  CreatedWebhookSchema,
  DeliverySchema,
  DetailedWebhookSchema,
  NewWebhookBody,
  RotateBody,
  RotatedWebhookSchema,
  WebhookChangesBody,
  WebhookSchema,
  WebhooksSchema,
} from './schema.ts';
import {
  createdWebhookView,
  deliveryView,
  detailedWebhookView,
  listedWebhookView,
  rotatedWebhookView,
  webhookView,
} from './views.ts';
import {
  createWebhook,
  deleteWebhook,
  getHealth,
  getWebhook,
  listWebhooks,
  pingWebhook,
  rotateSecret,
  updateWebhook,
  type WebhookChanges,
  type WebhookSettings,
} from './webhooks.ts';

const params = idParams('wh_9d3e7c1a5b8f2046e9d7');

const EventTypesSchema = Type.Array(
  Type.Object({
    name: sampleText('workflow.completed'),
    title: sampleText('Run completed'),
    description: sampleText('A run has completed and its cost is final.'),
    schema: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
    example: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
  }),
);

export const webhookVerbs = [
  verb({
    ...read,
    name: 'webhook list',
    at: 'GET /webhooks',
    title: 'List the webhooks',
    page: '/webhooks',
    description: 'Newest first.',
    columns: [
      ['id', 'webhook'],
      'name',
      'url',
      'events',
      'status',
      ['last_delivery_at', 'last delivery'],
      ['last_delivery_status', 'result'],
      ['last_response_code', 'response'],
      ['next_attempt_at', 'retry'],
    ],
    answer: WebhooksSchema,
    run: async (ctx) => {
      const now = ctx.clock.now();
      return { webhooks: (await listWebhooks(ctx)).map((row) => listedWebhookView(row, now)) };
    },
  }),
  verb({
    ...write,
    name: 'webhook create',
    at: 'POST /webhooks',
    title: 'Create a webhook',
    page: '/webhooks?new=webhook',
    description: 'The response shows the signing secret once. An organization can have 50 webhooks.',
    body: NewWebhookBody,
    status: 201,
    answer: CreatedWebhookSchema,
    faults: [409],
    run: async (ctx, { body }) => createdWebhookView(await createWebhook(ctx, body as WebhookSettings)),
  }),
  verb({
    ...read,
    name: 'event-type list',
    at: 'GET /event-types',
    title: 'List event types',
    description: 'Includes a JSON Schema and an example body for each event type.',
    answer: EventTypesSchema,
    run: () => eventTypes,
  }),
  verb({
    ...read,
    name: 'webhook get',
    at: 'GET /webhooks/:id',
    title: 'Get a webhook',
    page: '/webhooks/:id',
    description: 'Includes its health and the reason for its status.',
    params,
    answer: DetailedWebhookSchema,
    faults: [404],
    run: async (ctx, { params: { id } }) => {
      const webhook = await getWebhook(ctx, id);
      return detailedWebhookView(webhook, await getHealth(ctx, webhook), ctx.clock.now());
    },
  }),
  verb({
    ...write,
    name: 'webhook update',
    at: 'PUT /webhooks/:id',
    title: 'Change a webhook',
    description:
      'Changes the fields that you send, also for waiting deliveries. A `paused` webhook holds its deliveries until it is `active`.',
    params,
    body: WebhookChangesBody,
    answer: WebhookSchema,
    faults: [404],
    run: async (ctx, { params: { id }, body }) =>
      webhookView(await updateWebhook(ctx, id, body as WebhookChanges), ctx.clock.now()),
  }),
  verb({
    ...write,
    name: 'webhook delete',
    at: 'DELETE /webhooks/:id',
    title: 'Delete a webhook',
    description: 'Also deletes its deliveries.',
    ...deletes('wh_9d3e7c1a5b8f2046e9d7', deleteWebhook),
    faults: [404],
  }),
  verb({
    ...write,
    name: 'webhook rotate-secret',
    at: 'POST /webhooks/:id/rotate-secret',
    title: 'Rotate the signing secret',
    description:
      'The response shows the new secret once. Both secrets sign for 24 hours, then only the new one.',
    params,
    body: RotateBody,
    bodyIsOptional: true,
    answer: RotatedWebhookSchema,
    faults: [404],
    run: async (ctx, { params: { id }, body }) =>
      rotatedWebhookView(await rotateSecret(ctx, id, body.secret), ctx.clock.now()),
  }),
  verb({
    ...write,
    name: 'webhook ping',
    at: 'POST /webhooks/:id/ping',
    title: 'Send a test event',
    description: "Sends one event `webhook.ping`, with one attempt, whatever the webhook's status.",
    params,
    status: 202,
    answer: DeliverySchema,
    faults: [404],
    run: async (ctx, { params: { id } }) => deliveryView(await pingWebhook(ctx, id)),
  }),
  ...deliveryVerbs,
];

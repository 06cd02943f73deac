import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { preValidationHookHandler } from 'fastify';
import { Type } from 'typebox';
import { eventTypes } from '../../events/eventTypes.ts';
import { dataOf, deletedOf, idParams, responses, sampleText } from '../../platform/http/schemas.ts';
import { deliveryRoutes, reader, tags, writer } from './deliveries.routes.ts';
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
    description: sampleText('A run has completed and its cost is final.'),
    schema: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
    example: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
  }),
);

export const webhookRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.register(allWebhooksRoutes);
  server.register(oneWebhookRoutes);
  server.register(actionRoutes);
  server.register(deliveryRoutes);
  done();
};

const allWebhooksRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.get(
    '/webhooks',
    {
      config: reader,
      schema: {
        tags,
        summary: 'List the webhooks',
        description: 'Newest first.',
        response: responses(200, dataOf(WebhooksSchema)),
      },
    },
    async (request) => {
      const ctx = request.ctx;
      const now = ctx.clock.now();
      return { data: { webhooks: (await listWebhooks(ctx)).map((row) => listedWebhookView(row, now)) } };
    },
  );

  server.post(
    '/webhooks',
    {
      config: writer,
      schema: {
        tags,
        summary: 'Create a webhook',
        description: 'The response shows the signing secret once. An organization can have 50 webhooks.',
        body: NewWebhookBody,
        response: responses(201, dataOf(CreatedWebhookSchema), [409]),
      },
    },
    async (request, reply) => {
      const created = await createWebhook(request.ctx, request.body as WebhookSettings);
      return reply.status(201).send({ data: createdWebhookView(created) });
    },
  );

  server.get(
    '/event-types',
    {
      config: reader,
      schema: {
        tags,
        summary: 'List event types',
        description: 'Includes a JSON Schema and an example body for each event type.',
        response: responses(200, dataOf(EventTypesSchema)),
      },
    },
    () => ({ data: eventTypes }),
  );
  done();
};

const oneWebhookRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.get(
    '/webhooks/:id',
    {
      config: reader,
      schema: {
        tags,
        summary: 'Get a webhook',
        description: 'Includes its health and the reason for its status.',
        params,
        response: responses(200, dataOf(DetailedWebhookSchema), [404]),
      },
    },
    async (request) => {
      const ctx = request.ctx;
      const webhook = await getWebhook(ctx, request.params.id);
      return { data: detailedWebhookView(webhook, await getHealth(ctx, webhook), ctx.clock.now()) };
    },
  );

  server.put(
    '/webhooks/:id',
    {
      config: writer,
      schema: {
        tags,
        summary: 'Change a webhook',
        description:
          'Changes the fields that you send, also for waiting deliveries. A `paused` webhook holds its deliveries until it is `active`.',
        params,
        body: WebhookChangesBody,
        response: responses(200, dataOf(WebhookSchema), [404]),
      },
    },
    async (request) => {
      const ctx = request.ctx;
      const webhook = await updateWebhook(ctx, request.params.id, request.body as WebhookChanges);
      return { data: webhookView(webhook, ctx.clock.now()) };
    },
  );

  server.delete(
    '/webhooks/:id',
    {
      config: writer,
      schema: {
        tags,
        summary: 'Delete a webhook',
        description: 'Also deletes its deliveries.',
        params,
        response: responses(200, dataOf(deletedOf('wh_9d3e7c1a5b8f2046e9d7')), [404]),
      },
    },
    async (request) => {
      const { id } = request.params;
      await deleteWebhook(request.ctx, id);
      return { data: { id, deleted: true as const } };
    },
  );
  done();
};

const takeNoBodyAsEmpty: preValidationHookHandler = (request, _reply, done) => {
  request.body ??= {};
  done();
};

const actionRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.post(
    '/webhooks/:id/rotate-secret',
    {
      config: writer,
      preValidation: takeNoBodyAsEmpty,
      schema: {
        tags,
        summary: 'Rotate the signing secret',
        description:
          'The response shows the new secret once. Both secrets sign for 24 hours, then only the new one.',
        params,
        body: RotateBody,
        response: responses(200, dataOf(RotatedWebhookSchema), [404]),
      },
    },
    async (request) => {
      const ctx = request.ctx;
      const rotated = await rotateSecret(ctx, request.params.id, request.body.secret);
      return { data: rotatedWebhookView(rotated, ctx.clock.now()) };
    },
  );

  server.post(
    '/webhooks/:id/ping',
    {
      config: writer,
      schema: {
        tags,
        summary: 'Send a test event',
        description: "Sends one event `webhook.ping`, with one attempt, whatever the webhook's status.",
        params,
        response: responses(202, dataOf(DeliverySchema), [404]),
      },
    },
    async (request, reply) => {
      const delivery = await pingWebhook(request.ctx, request.params.id);
      return reply.status(202).send({ data: deliveryView(delivery) });
    },
  );
  done();
};

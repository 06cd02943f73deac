import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { preValidationHookHandler } from 'fastify';
import { Type } from 'typebox';
import { eventTypes } from '../../events/eventTypes.ts';
import { dataOf, DeletedSchema, IdParams, responses } from '../../platform/http/schemas.ts';
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

const EventTypesSchema = Type.Array(
  Type.Object({
    name: Type.String(),
    description: Type.String(),
    schema: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
    example: Type.Unsafe<object>({ type: 'object', additionalProperties: true }),
  }),
);

/** Webhooks, what became of their deliveries, and sending again. */
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
      return { data: { webhooks: (await listWebhooks(ctx)).map((row) => webhookView(row, now)) } };
    },
  );

  server.post(
    '/webhooks',
    {
      config: writer,
      schema: {
        tags,
        summary: 'Create a webhook',
        description: 'Answers its signing secret, this once. At most 50 an organization.',
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
        summary: 'List what can be sent to a webhook',
        description: 'With a JSON Schema and an example of the body of each kind of event.',
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
        description: 'With how it is doing, and why it has its status.',
        params: IdParams,
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
          'Changes the fields that are given, also for deliveries that wait. `paused` keeps them until `active`.',
        params: IdParams,
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
        description: 'With its deliveries.',
        params: IdParams,
        response: responses(200, dataOf(DeletedSchema), [404]),
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
        summary: 'Give a webhook a new secret',
        description:
          'Answers the new secret, this once. It signs beside the present one for 24 hours, and then alone.',
        params: IdParams,
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
        summary: 'Send a webhook a test',
        description: 'One event `webhook.ping`, tried once, whatever the status of the webhook.',
        params: IdParams,
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

import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { dataOf, idParams, PageQuery, responses } from '../../platform/http/schemas.ts';
import { readPagination, paginationView } from '../../platform/http/views.ts';
import type { DeliveryFilter } from './deliveries.queries.ts';
import { getDelivery, listDeliveries, resendDelivery } from './deliveries.ts';
import {
  cancelResend,
  countResend,
  getResend,
  listResends,
  startResend,
  type ResendFilter,
} from './resends.ts';
import {
  DeliveriesQuery,
  DeliveriesSchema,
  DeliverySchema,
  DetailedDeliverySchema,
  ResendBody,
  ResendCount,
  ResendSchema,
  ResendsSchema,
} from './schema.ts';
import { deliveryView, detailedDeliveryView, resendView } from './views.ts';

const params = idParams('wh_9d3e7c1a5b8f2046e9d7');

const DeliveryParams = Type.Object({
  ...params.properties,
  delivery_id: Type.String({ examples: ['del_0195a3c81e4a7c2d8b6f3e1a5d9c7b20'] }),
});
const ResendParams = Type.Object({
  ...params.properties,
  resend_id: Type.String({ examples: ['rsd_7d1b5f9a3c8e2460d7b1'] }),
});

export const tags = ['Webhooks'];
export const reader = { access: { scope: 'webhooks:read', role: 'viewer' } } as const;
export const writer = { access: { scope: 'webhooks:write', role: 'admin' } } as const;

export const deliveryRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.register(readDeliveryRoutes);
  server.register(sendAgainRoutes);
  server.register(resendRoutes);
  done();
};

const readDeliveryRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.get(
    '/webhooks/:id/deliveries',
    {
      config: reader,
      schema: {
        tags,
        summary: 'List the deliveries of a webhook',
        description: 'Newest first by default.',
        params,
        querystring: DeliveriesQuery,
        response: responses(200, dataOf(DeliveriesSchema), [404]),
      },
    },
    async (request) => {
      const { query } = request;
      const page = readPagination(query);
      const filter = filterOf(query);
      const order = { by: query.sort_by, direction: query.sort_order };
      const { id } = request.params;
      const { deliveries, total } = await listDeliveries(request.ctx, id, filter, page, order);
      const pagination = paginationView(page, total);
      return { data: { deliveries: deliveries.map(deliveryView), pagination } };
    },
  );

  server.get(
    '/webhooks/:id/deliveries/:delivery_id',
    {
      config: reader,
      schema: {
        tags,
        summary: 'Get a delivery',
        description: 'Includes the body and every attempt.',
        params: DeliveryParams,
        response: responses(200, dataOf(DetailedDeliverySchema), [404]),
      },
    },
    async (request) => {
      const { id, delivery_id } = request.params;
      return { data: detailedDeliveryView(await getDelivery(request.ctx, id, delivery_id)) };
    },
  );
  done();
};

function filterOf({ event, status }: DeliveryFilter): DeliveryFilter {
  return { ...(event === undefined ? {} : { event }), ...(status === undefined ? {} : { status }) };
}

const sendAgainRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.post(
    '/webhooks/:id/deliveries/:delivery_id/resend',
    {
      config: writer,
      schema: {
        tags,
        summary: 'Resend a delivery',
        description: 'Sends the delivery once, within seconds. Automatic attempts stay as planned.',
        params: DeliveryParams,
        response: responses(202, dataOf(DeliverySchema), [404, 409]),
      },
    },
    async (request, reply) => {
      const { id, delivery_id } = request.params;
      const delivery = await resendDelivery(request.ctx, id, delivery_id);
      return reply.status(202).send({ data: deliveryView(delivery) });
    },
  );

  server.post(
    '/webhooks/:id/resends',
    {
      config: writer,
      schema: {
        tags,
        summary: 'Resend many deliveries',
        description:
          'Resends all matching deliveries, oldest first, a few at a time. Each webhook has one resend at a time. ' +
          'With `dry_run` the response is 200 and only counts them.',
        params,
        body: ResendBody,
        response: {
          ...responses(202, dataOf(ResendSchema), [404, 409]),
          200: dataOf(ResendCount),
        },
      },
    },
    async (request, reply) => {
      const { dry_run: isDryRun = false, status = 'failed', ...rest } = request.body;
      const ctx = request.ctx;
      const { id } = request.params;
      const filter = { ...rest, status } as ResendFilter;
      if (isDryRun)
        return reply.status(200).send({ data: { total: Number(await countResend(ctx, id, filter)) } });
      return reply.status(202).send({ data: resendView(await startResend(ctx, id, filter)) });
    },
  );
  done();
};

const resendRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.get(
    '/webhooks/:id/resends',
    {
      config: reader,
      schema: {
        tags,
        summary: 'List the resends of a webhook',
        description: 'Newest first.',
        params,
        querystring: PageQuery,
        response: responses(200, ResendsSchema, [404]),
      },
    },
    async (request) => {
      const page = readPagination(request.query);
      const { resends, total } = await listResends(request.ctx, request.params.id, page);
      const pagination = paginationView(page, total);
      return { data: resends.map(resendView), pagination };
    },
  );

  server.get(
    '/webhooks/:id/resends/:resend_id',
    {
      config: reader,
      schema: {
        tags,
        summary: 'Get a resend',
        params: ResendParams,
        response: responses(200, dataOf(ResendSchema), [404]),
      },
    },
    async (request) => {
      const { id, resend_id } = request.params;
      return { data: resendView(await getResend(request.ctx, id, resend_id)) };
    },
  );

  server.post(
    '/webhooks/:id/resends/:resend_id/cancel',
    {
      config: writer,
      schema: {
        tags,
        summary: 'Cancel a resend',
        description: 'Deliveries that it has already requested are still sent.',
        params: ResendParams,
        response: responses(200, dataOf(ResendSchema), [404, 409]),
      },
    },
    async (request) => {
      const { id, resend_id } = request.params;
      return { data: resendView(await cancelResend(request.ctx, id, resend_id)) };
    },
  );
  done();
};

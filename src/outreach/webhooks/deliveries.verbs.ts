import { Type } from 'typebox';
import { idParams, PageQuery } from '../../platform/http/schemas.ts';
import { verb } from '../../platform/http/verbs.ts';
import { answerPage, paginationView, readPagination } from '../../platform/http/views.ts';
import type { DeliveryFilter } from './deliveries.queries.ts';
import { getDelivery, listDeliveries, resendDelivery, signDeliveries } from './deliveries.ts';
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
  SignBody,
  SignedDeliveriesSchema,
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

export const read = { tag: 'Webhooks', access: { scope: 'webhooks:read', role: 'viewer' } } as const;
export const write = { tag: 'Webhooks', access: { scope: 'webhooks:write', role: 'admin' } } as const;

export const deliveryVerbs = [
  verb({
    ...read,
    name: 'webhook delivery list',
    at: 'GET /webhooks/:id/deliveries',
    title: 'List the deliveries of a webhook',
    page: '/webhooks/:id',
    description: 'Newest first by default.',
    params,
    query: DeliveriesQuery,
    columns: [
      ['id', 'delivery'],
      'event',
      ['created_at', 'created'],
      'status',
      'attempts',
      ['response_code', 'response'],
      ['response_time_ms', 'ms'],
    ],
    answer: DeliveriesSchema,
    faults: [404],
    run: async (ctx, { params: { id }, query }) => {
      const page = readPagination(query);
      const order = { by: query.sort_by, direction: query.sort_order };
      const { deliveries, total } = await listDeliveries(ctx, id, filterOf(query), page, order);
      return { deliveries: deliveries.map(deliveryView), pagination: paginationView(page, total) };
    },
  }),
  verb({
    ...read,
    name: 'webhook delivery get',
    at: 'GET /webhooks/:id/deliveries/:delivery_id',
    title: 'Get a delivery',
    description: 'Includes the body and every attempt.',
    params: DeliveryParams,
    answer: DetailedDeliverySchema,
    faults: [404],
    run: async (ctx, { params: { id, delivery_id } }) =>
      detailedDeliveryView(await getDelivery(ctx, id, delivery_id)),
  }),
  verb({
    ...write,
    name: 'webhook delivery sign',
    at: 'POST /webhooks/:id/deliveries/sign',
    title: 'Sign deliveries for another receiver',
    description:
      'Returns the first 100 deliveries whose body is still stored, oldest first, with new signed headers, so that you can ' +
      'send them to a program on your own machine. Changes nothing.',
    params,
    body: SignBody,
    answer: SignedDeliveriesSchema,
    faults: [404],
    run: async (ctx, { params: { id }, body: { from, event, without = [] } }) => {
      const wanted = { from: new Date(from), without, ...(event !== undefined && { event }) };
      const signed = await signDeliveries(ctx, id, wanted);
      return {
        deliveries: signed.map(({ delivery, headers, body }) => ({
          id: delivery.id,
          event: delivery.event,
          created_at: delivery.createdAt,
          headers,
          body,
        })),
      };
    },
  }),
  verb({
    ...write,
    name: 'webhook delivery resend',
    at: 'POST /webhooks/:id/deliveries/:delivery_id/resend',
    title: 'Resend a delivery',
    description: 'Sends the delivery once, within seconds. Automatic attempts stay as planned.',
    params: DeliveryParams,
    status: 202,
    answer: DeliverySchema,
    faults: [404, 409],
    run: async (ctx, { params: { id, delivery_id } }) =>
      deliveryView(await resendDelivery(ctx, id, delivery_id)),
  }),
  verb({
    ...write,
    name: 'webhook resend create',
    at: 'POST /webhooks/:id/resends',
    title: 'Resend many deliveries',
    description:
      'Resends all matching deliveries, oldest first, a few at a time. Each webhook has one resend at a time. ' +
      'With `dry_run` the response is 200 and only counts them.',
    params,
    body: ResendBody,
    status: 202,
    answer: ResendSchema,
    otherAnswer: ResendCount,
    faults: [404, 409],
    run: async (ctx, { params: { id }, body }, { reply }) => {
      const { dry_run: isDryRun = false, status = 'failed', ...rest } = body;
      const filter = { ...rest, status } as ResendFilter;
      if (!isDryRun) return resendView(await startResend(ctx, id, filter));
      const total = Number(await countResend(ctx, id, filter));
      reply.status(200);
      return { total };
    },
  }),
  verb({
    ...read,
    name: 'webhook resend list',
    at: 'GET /webhooks/:id/resends',
    title: 'List the resends of a webhook',
    description: 'Newest first.',
    params,
    query: PageQuery,
    answer: ResendsSchema,
    isWhole: true,
    faults: [404],
    run: (ctx, { params: { id }, query }) =>
      answerPage(query, (page) => listResends(ctx, id, page), resendView),
  }),
  verb({
    ...read,
    name: 'webhook resend get',
    at: 'GET /webhooks/:id/resends/:resend_id',
    title: 'Get a resend',
    params: ResendParams,
    answer: ResendSchema,
    faults: [404],
    run: async (ctx, { params: { id, resend_id } }) => resendView(await getResend(ctx, id, resend_id)),
  }),
  verb({
    ...write,
    name: 'webhook resend cancel',
    at: 'POST /webhooks/:id/resends/:resend_id/cancel',
    title: 'Cancel a resend',
    description: 'Deliveries that it has already requested are still sent.',
    params: ResendParams,
    answer: ResendSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id, resend_id } }) => resendView(await cancelResend(ctx, id, resend_id)),
  }),
];

function filterOf({ event, status }: DeliveryFilter): DeliveryFilter {
  return { ...(event === undefined ? {} : { event }), ...(status === undefined ? {} : { status }) };
}

import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { webhooksKey } from '../../../api/queries.ts';
import { type Answer, type Asked, dataQuery } from '../../../api/query.ts';
import type { paths } from '../../../api/schema.d.ts';

const liveMilliseconds = 10_000;

/** One prefix for all that belongs to a webhook. */
export const webhookKey = (id: string) => [...webhooksKey, id];

export type Webhook = Answer<'/api/v1/webhooks'>['webhooks'][number];
export type DetailedWebhook = Answer<'/api/v1/webhooks/{id}'>;
export type Delivery = Answer<'/api/v1/webhooks/{id}/deliveries'>['deliveries'][number];
export type DetailedDelivery = Answer<'/api/v1/webhooks/{id}/deliveries/{delivery_id}'>;
export type Attempt = DetailedDelivery['attempts_log'][number];
export type Resend = Answer<'/api/v1/webhooks/{id}/resends'>[number];
export type EventKind = NonNullable<
  NonNullable<paths['/api/v1/webhooks']['post']['requestBody']>['content']['application/json']['events']
>[number];
export type ResendFilter = NonNullable<
  paths['/api/v1/webhooks/{id}/resends']['post']['requestBody']
>['content']['application/json'];

export const webhookQuery = (id: string) => ({
  ...dataQuery('/api/v1/webhooks/{id}', { path: { id } }),
  queryKey: webhookKey(id),
  refetchInterval: liveMilliseconds,
});

export const eventTypesQuery = { ...dataQuery('/api/v1/event-types'), staleTime: Infinity };

export const deliveriesQuery = (id: string, query: Asked<'/api/v1/webhooks/{id}/deliveries'>) => ({
  ...dataQuery('/api/v1/webhooks/{id}/deliveries', { path: { id }, query }),
  queryKey: [...webhookKey(id), 'deliveries', query],
  refetchInterval: liveMilliseconds,
  placeholderData: keepPreviousData,
});

export function isMoving(delivery: DetailedDelivery): boolean {
  if (delivery.attempts_log.some(({ outcome }) => outcome === 'in_flight')) return true;
  return delivery.status === 'pending' && delivery.attempts_log.length === 0;
}

export const deliveryQuery = (id: string, deliveryId: string, movingMilliseconds = 3_000) =>
  queryOptions({
    ...dataQuery('/api/v1/webhooks/{id}/deliveries/{delivery_id}', {
      path: { id, delivery_id: deliveryId },
    }),
    queryKey: [...webhookKey(id), 'deliveries', deliveryId],
    refetchInterval: ({ state }) =>
      !state.data || isMoving(state.data) ? movingMilliseconds : liveMilliseconds,
  });

export const latestResendQuery = (id: string) =>
  queryOptions({
    ...dataQuery('/api/v1/webhooks/{id}/resends', { path: { id }, query: { page: 1, per_page: 1 } }),
    queryKey: [...webhookKey(id), 'resends'],
    select: ([latest]) => latest ?? null,
    refetchInterval: ({ state }) => (state.data?.[0]?.status === 'running' ? 5_000 : 60_000),
  });

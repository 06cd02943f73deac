import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Answer } from '../../../api/answer.ts';
import { api } from '../../../api/client.ts';
import type { paths } from '../../../api/schema.d.ts';

const liveMilliseconds = 10_000;
const allWebhooks = '/api/v1/webhooks';

export const webhooksKey = [allWebhooks];
export const webhookKey = (id: string) => [allWebhooks, id];

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
type DeliveryFilter = NonNullable<paths['/api/v1/webhooks/{id}/deliveries']['get']['parameters']['query']>;

export const webhooksQuery = queryOptions({
  queryKey: webhooksKey,
  queryFn: async () => (await api.GET('/api/v1/webhooks')).data!.data.webhooks,
  refetchInterval: liveMilliseconds,
});

export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: webhookKey(id),
    queryFn: async () => (await api.GET('/api/v1/webhooks/{id}', { params: { path: { id } } })).data!.data,
    refetchInterval: liveMilliseconds,
  });

export const eventTypesQuery = queryOptions({
  queryKey: ['/api/v1/event-types'],
  queryFn: async () => (await api.GET('/api/v1/event-types')).data!.data,
  staleTime: Infinity,
});

export const deliveriesQuery = (id: string, filter: DeliveryFilter) =>
  queryOptions({
    queryKey: [...webhookKey(id), 'deliveries', filter],
    queryFn: async () => {
      const params = { path: { id }, query: filter };
      return (await api.GET('/api/v1/webhooks/{id}/deliveries', { params })).data!.data;
    },
    refetchInterval: liveMilliseconds,
    placeholderData: keepPreviousData,
  });

export function isMoving(delivery: DetailedDelivery): boolean {
  if (delivery.attempts_log.some(({ outcome }) => outcome === 'in_flight')) return true;
  return delivery.status === 'pending' && delivery.attempts_log.length === 0;
}

export const deliveryQuery = (id: string, deliveryId: string, movingMilliseconds = 3_000) =>
  queryOptions({
    queryKey: [...webhookKey(id), 'deliveries', deliveryId],
    queryFn: async () => {
      const params = { path: { id, delivery_id: deliveryId } };
      return (await api.GET('/api/v1/webhooks/{id}/deliveries/{delivery_id}', { params })).data!.data;
    },
    refetchInterval: ({ state }) =>
      !state.data || isMoving(state.data) ? movingMilliseconds : liveMilliseconds,
  });

export const latestResendQuery = (id: string) =>
  queryOptions({
    queryKey: [...webhookKey(id), 'resends'],
    queryFn: async () => {
      const params = { path: { id }, query: { page: 1, per_page: 1 } };
      return (await api.GET('/api/v1/webhooks/{id}/resends', { params })).data!.data[0] ?? null;
    },
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? 5_000 : 60_000),
  });

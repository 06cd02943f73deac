import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { useOrganizationId } from '../api/session.ts';

export const alertsKey = ['/api/v1/alerts'];
export const measurementsKey = ['/api/v1/alerts/measurements'];

export const alertsQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...alertsKey, orgId],
    queryFn: async () =>
      (await api.GET('/api/v1/alerts', { params: { query: { org_id: orgId } } })).data!.alerts,
  });

export function useAlerts() {
  const query = alertsQuery(useOrganizationId());
  return useQuery({ ...query, refetchInterval: 20_000, placeholderData: keepPreviousData });
}

export function useMeasurements() {
  return useQuery({
    queryKey: measurementsKey,
    queryFn: async () => (await api.GET('/api/v1/alerts/measurements')).data!.data.measurements,
    select: (measurements) => new Map(measurements.map((measurement) => [measurement.alert_id, measurement])),
    refetchInterval: 60_000,
    placeholderData: keepPreviousData,
  });
}

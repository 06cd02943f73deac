import { queryOptions, useQuery, type QueryFunctionContext } from '@tanstack/react-query';
import { valueTitle } from '../../analysis/words.ts';
import { api } from '../../api/client.ts';
import { bodyQuery, dataQuery, everySeconds, type Body } from '../../api/query.ts';
import { useOrganizationId } from '../../api/session.ts';
import { setAlertTypes } from './alertTypes.ts';
import type { ScopeType } from './types.ts';

export const alertsKey = ['/api/v1/alerts'];
export const measurementsKey = ['/api/v1/alerts/measurements'];

export const alertTypesQuery = queryOptions({
  queryKey: ['/api/v1/alert-types'],
  queryFn: async () => {
    const { data } = (await api.GET('/api/v1/alert-types')).data!;
    setAlertTypes(data);
    return data;
  },
  staleTime: Infinity,
  gcTime: Infinity,
});

/** The query also waits for the types, so that whatever shows an alert knows its type. */
export function withAlertTypes<Query extends object>(query: Query): Query {
  const { queryFn: read } = query as { queryFn: (context: QueryFunctionContext) => Promise<unknown> };
  const queryFn = async (context: QueryFunctionContext) => {
    const [answer] = await Promise.all([read(context), context.client.query(alertTypesQuery)]);
    return answer;
  };
  return { ...query, queryFn };
}

export const alertsQuery = (orgId: string) => ({
  ...withAlertTypes(bodyQuery('/api/v1/alerts', { query: { org_id: orgId } })),
  select: alertsIn,
});

const alertsIn = ({ alerts }: Body<'/api/v1/alerts'>) => alerts;

export function useAlerts() {
  return useQuery({ ...alertsQuery(useOrganizationId()), ...everySeconds(20) });
}

export function useMeasurements() {
  return useQuery({
    ...dataQuery('/api/v1/alerts/measurements'),
    select: ({ measurements }) => new Map(measurements.map((each) => [each.alert_id, each])),
    ...everySeconds(60),
  });
}

/** Repositories, workflows, branches or teams with costs in the last 90 days, the most expensive first. */
export function useScopeValues(type: ScopeType) {
  return useQuery({
    ...dataQuery('/api/v1/costs', { query: { group_by: type, days: 90, limit: 200 } }),
    select: ({ groups }) =>
      groups.flatMap(({ by: [part] }) =>
        part?.value ? [{ value: part.value, label: valueTitle(type, part.name ?? part.value) }] : [],
      ),
    enabled: type !== 'organization',
    staleTime: 300_000,
  });
}

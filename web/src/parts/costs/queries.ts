import { useQuery } from '@tanstack/react-query';
import { type Answer, bodyQuery, dataQuery, everySeconds } from '../../api/query.ts';
import { useOrganizationId } from '../../api/session.ts';

export type Forecast = Answer<'/api/v1/dashboard/projection'>;

/** Runs are polled every few seconds, sums more slowly: a token may be limited to 60 requests per minute. */
export const ofSums = everySeconds(60);

export function useForecast() {
  return useQuery({ ...dataQuery('/api/v1/dashboard/projection'), ...ofSums });
}

export function useRecentRuns() {
  const query = { limit: 10, org_id: useOrganizationId() };
  return useQuery({
    ...bodyQuery('/api/v1/dashboard/recent-runs', { query }),
    select: ({ runs }) => runs,
    ...everySeconds(10),
  });
}

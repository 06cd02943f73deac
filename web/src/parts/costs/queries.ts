import { useQuery } from '@tanstack/react-query';
import { bodyQuery, everySeconds } from '../../api/query.ts';
import { useOrganizationId } from '../../api/session.ts';

/** Runs are polled every few seconds, sums more slowly: a token may be limited to 60 requests per minute. */
export const ofSums = everySeconds(60);

export function useRecentRuns() {
  const query = { limit: 10, org_id: useOrganizationId() };
  return useQuery({
    ...bodyQuery('/api/v1/dashboard/recent-runs', { query }),
    select: ({ runs }) => runs,
    ...everySeconds(10),
  });
}

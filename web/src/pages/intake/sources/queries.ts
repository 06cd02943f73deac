import { queryOptions } from '@tanstack/react-query';
import { bodyQuery } from '../../../api/query.ts';

export const recentRunsQuery = (orgId: string) =>
  queryOptions({
    ...bodyQuery('/api/v1/dashboard/recent-runs', { query: { org_id: orgId, limit: 100 } }),
    select: ({ runs }) => runs,
  });

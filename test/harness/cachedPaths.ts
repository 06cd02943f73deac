/** Paths below `/api/v1/` whose answers are cached. Each depends on something else. */
export const cachedPaths = [
  'dashboard/summary',
  'dashboard/trends?days=150',
  'dashboard/top-workflows',
  'dashboard/recent-runs?limit=100',
  'dashboard/workflows',
  'dashboard/workflows/summary',
  'costs?group_by=repository&granularity=day&compare=previous_period',
  'costs?group_by=team&metric=net_cost',
  'costs?group_by=team&metric=full_cost',
  'costs?group_by=visibility,workflow&metric=runs',
  'costs/change?group_by=workflow',
  'costs/workflows?granularity=day&compare=previous_period',
  'moves',
  'ownership/costs',
];

export function cachedAddress(path: string, orgId: string): string {
  return `/api/v1/${path}${path.includes('?') ? '&' : '?'}org_id=${orgId}`;
}

import { queryOptions } from '@tanstack/react-query';
import { dataQuery } from '../../api/query.ts';
import { isMoving } from '../../ui/task.ts';

export const demoKey = ['/api/v1/organization/demo'];

/** The latest load of the demo; null if it was never loaded. */
export const demoQuery = queryOptions({
  ...dataQuery('/api/v1/organization/demo'),
  refetchInterval: ({ state }) => (state.data && isMoving(state.data) ? 1_000 : false),
});

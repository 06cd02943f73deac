import { queryOptions } from '@tanstack/react-query';
import type { Answer } from '../../../api/answer.ts';
import { dataQuery } from '../../../api/query.ts';
import type { paths } from '../../../api/schema.d.ts';
import { isMoving } from '../../../ui/task.ts';

const path = '/api/v1/scheduled-exports';
const uploadsPath = '/api/v1/export-uploads';

export type ScheduledExport = Answer<typeof path>[number];
export type NewScheduledExport = NonNullable<
  paths[typeof path]['post']['requestBody']
>['content']['application/json'];
export type Upload = Answer<typeof uploadsPath>[number];

export const scheduledKey = [path];
export const uploadsKey = [uploadsPath];

export const scheduledQuery = dataQuery(path);

export const maxUploads = 25;

export const uploadsQuery = queryOptions({
  ...dataQuery(uploadsPath, { query: { per_page: maxUploads } }),
  // A new scheduled export uploads within a minute.
  refetchInterval: ({ state }) =>
    state.data?.some((each) => isMoving(each) && each.next_attempt_at === null) ? 2_000 : 10_000,
});

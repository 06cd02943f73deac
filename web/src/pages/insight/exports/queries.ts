import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { type Answer, bodyQuery, dataQuery, type Sent } from '../../../api/query.ts';
import { isMoving } from '../../../ui/task.ts';

export type Export = Answer<'/api/v1/exports'>[number];
export type NewExport = Sent<'/api/v1/exports'>;
export type DatasetName = NewExport['dataset'];
export type FormatName = NewExport['format'];
export type FocusVersion = NonNullable<NewExport['version']>;

export const exportsKey = ['/api/v1/exports'];

export const exportsQuery = (page: number) =>
  queryOptions({
    ...bodyQuery('/api/v1/exports', { query: { page, per_page: 25 } }),
    refetchInterval: ({ state }) => (state.data?.data.some(isMoving) ? 1_000 : 10_000),
    placeholderData: keepPreviousData,
  });

const scheduledPath = '/api/v1/scheduled-exports';
const uploadsPath = '/api/v1/export-uploads';

export type ScheduledExport = Answer<typeof scheduledPath>[number];
export type NewScheduledExport = Sent<typeof scheduledPath>;
export type Upload = Answer<typeof uploadsPath>[number];

export const scheduledKey = [scheduledPath];
export const uploadsKey = [uploadsPath];

export const scheduledQuery = dataQuery(scheduledPath);

export const maxUploads = 25;

export const uploadsQuery = queryOptions({
  ...dataQuery(uploadsPath, { query: { per_page: maxUploads } }),
  // A new scheduled export uploads within a minute.
  refetchInterval: ({ state }) =>
    state.data?.some((each) => isMoving(each) && each.next_attempt_at === null) ? 2_000 : 10_000,
});

import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Answer } from '../../../api/answer.ts';
import { bodyQuery } from '../../../api/query.ts';
import type { paths } from '../../../api/schema.d.ts';
import { isMoving } from '../../../ui/task.ts';

export type Export = Answer<'/api/v1/exports'>[number];
export type NewExport = NonNullable<
  paths['/api/v1/exports']['post']['requestBody']
>['content']['application/json'];
export type DatasetName = NewExport['dataset'];
export type FormatName = NewExport['format'];

export const exportsKey = ['/api/v1/exports'];

export const exportsQuery = (page: number) =>
  queryOptions({
    ...bodyQuery('/api/v1/exports', { query: { page, per_page: 25 } }),
    refetchInterval: ({ state }) => (state.data?.data.some(isMoving) ? 1_000 : 10_000),
    placeholderData: keepPreviousData,
  });

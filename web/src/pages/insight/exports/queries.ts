import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Answer } from '../../../api/answer.ts';
import { api } from '../../../api/client.ts';
import type { paths } from '../../../api/schema.d.ts';
import { isMoving } from '../../../ui/task.ts';

export type Export = Answer<'/api/v1/exports'>[number];
export type NewExport = NonNullable<
  paths['/api/v1/exports']['post']['requestBody']
>['content']['application/json'];
export type DatasetName = NewExport['dataset'];
export type FormatName = NewExport['format'];

export const exportsKey = ['/api/v1/exports'];

const perPage = 25;
const movingMilliseconds = 1_000;
const restingMilliseconds = 10_000;

export const exportsQuery = (page: number) =>
  queryOptions({
    queryKey: [...exportsKey, page],
    queryFn: async () => {
      const params = { query: { page, per_page: perPage } };
      return (await api.GET('/api/v1/exports', { params })).data!;
    },
    refetchInterval: ({ state }) =>
      state.data?.data.some(isMoving) ? movingMilliseconds : restingMilliseconds,
    placeholderData: keepPreviousData,
  });

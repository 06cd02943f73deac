import { queryOptions } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';

export const viewsPath = '/api/v1/views';

export const viewsQuery = queryOptions({
  queryKey: [viewsPath],
  queryFn: async () => (await api.GET(viewsPath)).data!.data,
});

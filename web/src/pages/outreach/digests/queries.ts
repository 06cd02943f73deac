import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Answer } from '../../../api/answer.ts';
import { api } from '../../../api/client.ts';

const path = '/api/v1/digests';
const previewPath = '/api/v1/digests/preview';

export type Digest = Answer<typeof path>[number];
export type Frequency = Digest['frequency'];

export const digestsKey = [path];

export const digestsQuery = queryOptions({
  queryKey: digestsKey,
  queryFn: async () => (await api.GET(path)).data!.data,
});

export const previewQuery = (frequency: Frequency, team: string | null) =>
  queryOptions({
    queryKey: [previewPath, frequency, team],
    queryFn: async () => {
      const query = { frequency, ...(team !== null && { team }) };
      return (await api.GET(previewPath, { params: { query } })).data!.data;
    },
    placeholderData: keepPreviousData,
  });

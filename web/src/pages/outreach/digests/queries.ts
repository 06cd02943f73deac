import { keepPreviousData } from '@tanstack/react-query';
import { type Answer, dataQuery } from '../../../api/query.ts';

const path = '/api/v1/digests';

export type Digest = Answer<typeof path>[number];
export type Frequency = Digest['frequency'];

export const digestsKey = [path];

export const digestsQuery = dataQuery(path);

export const previewQuery = (frequency: Frequency, team: string | null) => ({
  ...dataQuery('/api/v1/digests/preview', { query: { frequency, ...(team !== null && { team }) } }),
  placeholderData: keepPreviousData,
});

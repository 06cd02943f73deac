import { keepPreviousData } from '@tanstack/react-query';
import { type Answer, dataQuery } from '../../../api/query.ts';

const path = '/api/v1/digests';

export type Digest = Answer<typeof path>[number];
export type Frequency = Digest['frequency'];

export const digestsKey = [path];

export const digestsQuery = dataQuery(path);

/** Whose costs a digest covers. Both null: all costs. */
export type Part = Pick<Digest, 'team' | 'actor_kind'>;

export const previewQuery = (frequency: Frequency, { team, actor_kind }: Part) => ({
  ...dataQuery('/api/v1/digests/preview', {
    query: { frequency, ...(team !== null && { team }), ...(actor_kind !== null && { actor_kind }) },
  }),
  placeholderData: keepPreviousData,
});

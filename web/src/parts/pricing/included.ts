import { type Answer, dataQuery } from '../../api/query.ts';

export type IncludedMinutes = Answer<'/api/v1/pricing/included-minutes'>;

export const includedKey = ['/api/v1/pricing/included-minutes'];
export const includedQuery = dataQuery('/api/v1/pricing/included-minutes');

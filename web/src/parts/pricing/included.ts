import { type Answer, dataQuery } from '../../api/query.ts';

export type IncludedMinutes = Answer<'/api/v1/pricing/included-minutes'>;

export type IncludedProduct = Answer<'/api/v1/pricing/included-products'>[number];

export const includedKey = ['/api/v1/pricing/included-minutes'];
export const includedQuery = dataQuery('/api/v1/pricing/included-minutes');
export const includedOfGitLabQuery = dataQuery('/api/v1/pricing/included-minutes', {
  query: { provider: 'gitlab' },
});
export const includedProductsQuery = dataQuery('/api/v1/pricing/included-products');

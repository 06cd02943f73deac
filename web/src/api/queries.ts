import { queryOptions } from '@tanstack/react-query';
import { type Answer, dataQuery } from './query.ts';

/** What several pages ask. What one page asks is beside it. */
export type Organization = Answer<'/api/v1/organization'>;
export type Member = Answer<'/api/v1/members'>[number];
export type Token = Answer<'/api/v1/tokens'>[number];
export type Source = Answer<'/api/v1/sources'>[number];
export type SourceKind = Answer<'/api/v1/sources/kinds'>[number];
export type Book = Answer<'/api/v1/pricing/books'>[number];
export type Reprice = Answer<'/api/v1/reprices/{id}'>;

export const organizationKey = ['/api/v1/organization'];
export const membersKey = ['/api/v1/members'];
export const tokensKey = ['/api/v1/tokens'];
export const sourcesKey = ['/api/v1/sources'];
export const webhooksKey = ['/api/v1/webhooks'];
export const viewsKey = ['/api/v1/views'];
export const pricingKey = ['/api/v1/pricing'];
export const repricesKey = ['/api/v1/reprices'];

/** Each change of a price changes these. Their keys have no parameters, so that they match all queries of an address. */
export const afterPriceChange = [
  pricingKey,
  ['/api/v1/pricing/books'],
  ['/api/v1/pricing/runner-kinds'],
  ['/api/v1/pricing/rules'],
  ['/api/v1/pricing/what-if'],
  ['/api/v1/pricing/unpriced'],
  ['/api/v1/hosted-runners'],
  ['/api/v1/pricing/hints'],
  ['/api/v1/dashboard/outlook'],
];

export const organizationQuery = dataQuery('/api/v1/organization');
export const membersQuery = dataQuery('/api/v1/members');
export const tokensQuery = dataQuery('/api/v1/tokens');
export const sourcesQuery = { ...dataQuery('/api/v1/sources'), refetchInterval: 15_000 };
export const sourceKindsQuery = dataQuery('/api/v1/sources/kinds');
export const viewsQuery = dataQuery('/api/v1/views');
export const webhooksQuery = queryOptions({
  ...dataQuery('/api/v1/webhooks'),
  select: ({ webhooks }) => webhooks,
  refetchInterval: 10_000,
});
export const pricingQuery = dataQuery('/api/v1/pricing');
export const booksQuery = dataQuery('/api/v1/pricing/books');

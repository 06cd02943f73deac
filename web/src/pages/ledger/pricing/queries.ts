import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { type Answer, type Body, bodyQuery, dataQuery, type Sent } from '../../../api/query.ts';
import { isMoving } from '../../../ui/task.ts';

export type RunnerKind = Answer<'/api/v1/pricing/runner-kinds'>['runner_kinds'][number];
export type Rule = Answer<'/api/v1/pricing/rules'>[number];
export type Pool = Answer<'/api/v1/runner-pools'>[number];
export type ShadowRate = Answer<'/api/v1/pricing/shadow-rates'>[number];
export type Shadow = Answer<'/api/v1/pricing/shadow'>;
export type PublishedTerm = Answer<'/api/v1/pricing/published-terms'>[number];
export type UnpricedRunner = Answer<'/api/v1/pricing/unpriced'>[number];
export type Priceable = NonNullable<Body<'/api/v1/pricing/unpriced'>['priceable']>;
export type HostedRunner = Answer<'/api/v1/hosted-runners'>['runners'][number];
export type RateHint = Answer<'/api/v1/pricing/hints'>[number];

export type WhatIfBody = Sent<'/api/v1/pricing/what-if'>;
export type RuleBody = Sent<'/api/v1/pricing/rules'>;
export type ProposedRule = NonNullable<NonNullable<WhatIfBody>['rules']>[number];

export const shadowRatesKey = ['/api/v1/pricing/shadow-rates'];
export const shadowKey = ['/api/v1/pricing/shadow'];
export const unpricedKey = ['/api/v1/pricing/unpriced'];
export const hostedRunnersKey = ['/api/v1/hosted-runners'];

export const runnerKindsQuery = queryOptions({
  ...dataQuery('/api/v1/pricing/runner-kinds'),
  select: ({ runner_kinds: kinds }) => kinds,
});
export const rulesQuery = dataQuery('/api/v1/pricing/rules');
export const poolsQuery = dataQuery('/api/v1/runner-pools');
export const afterPoolChange = [['/api/v1/runner-pools'], ['/api/v1/costs'], ['/api/v1/showback']];
export const hostedRunnersQuery = dataQuery('/api/v1/hosted-runners');
export const rateHintsQuery = dataQuery('/api/v1/pricing/hints');
export const shadowRatesQuery = dataQuery('/api/v1/pricing/shadow-rates');
export const publishedTermsQuery = dataQuery('/api/v1/pricing/published-terms');

export const shadowQuery = (days: number) => ({
  ...dataQuery('/api/v1/pricing/shadow', { query: { days } }),
  placeholderData: keepPreviousData,
});

export const whatIfQuery = (body: WhatIfBody) =>
  queryOptions({
    queryKey: ['/api/v1/pricing/what-if', body],
    queryFn: async () => (await api.POST('/api/v1/pricing/what-if', { body: body! })).data!.data,
    placeholderData: keepPreviousData,
  });

export const repricesQuery = queryOptions({
  ...dataQuery('/api/v1/reprices', { query: { page: 1, per_page: 10 } }),
  refetchInterval: ({ state }) => (state.data?.some(isMoving) ? 1_000 : 15_000),
});

export const unpricedQuery = (days: number, page: number) => ({
  ...bodyQuery('/api/v1/pricing/unpriced', { query: { days, page, per_page: 50 } }),
  placeholderData: keepPreviousData,
});

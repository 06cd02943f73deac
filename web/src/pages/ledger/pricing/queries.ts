import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { Answer } from '../../../api/answer.ts';
import { api } from '../../../api/client.ts';
import type { paths } from '../../../api/schema.d.ts';

export type Book = Answer<'/api/v1/pricing/books'>[number];
export type RunnerKind = Answer<'/api/v1/pricing/runner-kinds'>['runner_kinds'][number];
export type Rule = Answer<'/api/v1/pricing/rules'>[number];
export type ShadowRate = Answer<'/api/v1/pricing/shadow-rates'>[number];
export type Shadow = Answer<'/api/v1/pricing/shadow'>;
export type IncludedMinutes = Answer<'/api/v1/pricing/included-minutes'>;
export type UnpricedRunner = Answer<'/api/v1/pricing/unpriced'>[number];
export type Reprice = Answer<'/api/v1/reprices/{id}'>;

type BodyOf<Path extends keyof paths, Method extends 'post' | 'put'> = paths[Path] extends {
  [M in Method]: { requestBody?: { content: { 'application/json': infer Body } } };
}
  ? Body
  : never;

export type WhatIfBody = BodyOf<'/api/v1/pricing/what-if', 'post'>;
export type RuleBody = BodyOf<'/api/v1/pricing/rules', 'post'>;
export type ProposedRule = NonNullable<NonNullable<WhatIfBody>['rules']>[number];

export const pricingKey = ['/api/v1/pricing'];
const booksKey = ['/api/v1/pricing/books'];
const runnerKindsKey = ['/api/v1/pricing/runner-kinds'];
const rulesKey = ['/api/v1/pricing/rules'];
export const shadowRatesKey = ['/api/v1/pricing/shadow-rates'];
export const shadowKey = ['/api/v1/pricing/shadow'];
export const includedKey = ['/api/v1/pricing/included-minutes'];
export const repricesKey = ['/api/v1/reprices'];
const unpricedKey = ['/api/v1/pricing/unpriced'];
const whatIfKey = '/api/v1/pricing/what-if';
export const outlookKey = ['/api/v1/dashboard/outlook'];

export const afterPriceChange = [pricingKey, booksKey, runnerKindsKey, rulesKey, [whatIfKey], outlookKey];

export const pricingQuery = queryOptions({
  queryKey: pricingKey,
  queryFn: async () => (await api.GET('/api/v1/pricing')).data!.data,
});

export const booksQuery = queryOptions({
  queryKey: booksKey,
  queryFn: async () => (await api.GET('/api/v1/pricing/books')).data!.data,
});

export const runnerKindsQuery = queryOptions({
  queryKey: runnerKindsKey,
  queryFn: async () => (await api.GET('/api/v1/pricing/runner-kinds')).data!.data.runner_kinds,
});

export const rulesQuery = queryOptions({
  queryKey: rulesKey,
  queryFn: async () => (await api.GET('/api/v1/pricing/rules')).data!.data,
});

export const shadowRatesQuery = queryOptions({
  queryKey: shadowRatesKey,
  queryFn: async () => (await api.GET('/api/v1/pricing/shadow-rates')).data!.data,
});

export const shadowQuery = (days: number) =>
  queryOptions({
    queryKey: [...shadowKey, days],
    queryFn: async () =>
      (await api.GET('/api/v1/pricing/shadow', { params: { query: { days } } })).data!.data,
    placeholderData: keepPreviousData,
  });

export const includedQuery = queryOptions({
  queryKey: includedKey,
  queryFn: async () => (await api.GET('/api/v1/pricing/included-minutes')).data!.data,
});

export const whatIfQuery = (body: WhatIfBody) =>
  queryOptions({
    queryKey: [whatIfKey, body],
    queryFn: async () => (await api.POST('/api/v1/pricing/what-if', { body: body! })).data!.data,
    placeholderData: keepPreviousData,
  });

export const isUnderWay = ({ status }: Reprice) => status === 'queued' || status === 'running';

export const repriceQuery = (id: string) =>
  queryOptions({
    queryKey: [...repricesKey, id],
    queryFn: async () => (await api.GET('/api/v1/reprices/{id}', { params: { path: { id } } })).data!.data,
    refetchInterval: (query) => (query.state.data && isUnderWay(query.state.data) ? 1_000 : false),
  });

export const repricesQuery = queryOptions({
  queryKey: repricesKey,
  queryFn: async () =>
    (await api.GET('/api/v1/reprices', { params: { query: { page: 1, per_page: 10 } } })).data!.data,
  refetchInterval: (query) => (query.state.data?.some(isUnderWay) ? 1_000 : 15_000),
});

export const unpricedQuery = (days: number, page: number) =>
  queryOptions({
    queryKey: [...unpricedKey, days, page],
    queryFn: async () => {
      const query = { days, page, per_page: 50 };
      return (await api.GET('/api/v1/pricing/unpriced', { params: { query } })).data!;
    },
    placeholderData: keepPreviousData,
  });

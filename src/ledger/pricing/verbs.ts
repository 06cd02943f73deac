import type { Logger } from 'pino';
import { verb, verbsWith, type VerbContext } from '../../platform/http/verbs.ts';
import { listRunnerKinds } from './books.ts';
import { bookVerbs, read, ruleVerbs, write } from './books.verbs.ts';
import type { IncludedMinutes } from './includedMinutes.ts';
import type { Providers } from './provider.ts';
import {
  DaysQuery,
  IncludedMinutesQuery,
  IncludedMinutesSchema,
  PricingBody,
  PricingSchema,
  RunnerKindsSchema,
  ShadowRatesBody,
  ShadowRatesSchema,
  ShadowSchema,
  OneTermsBody,
  TermsBody,
  TermsPlaceQuery,
  TermsSchema,
  PublishedTermsSchema,
} from './schema.ts';
import { getPricing, updatePricing, type PricingChanges } from './settings.ts';
import { getShadowCost, getShadowRates, setShadowRates } from './shadow.ts';
import { addTerms, listTerms, removeTerms, setTerms, termsView, type TermsInput } from './terms.ts';
import {
  includedMinutesView,
  pricingView,
  publishedTermsView,
  runnerKindView,
  shadowRateView,
  shadowView,
} from './views.ts';

const maxDays = 365;

export const pricingVerbs = (providers: Providers, readIncluded: ReadIncluded) => [
  ...settingVerbs,
  ...includedVerbs(readIncluded),
  ...bookVerbs(providers),
  ...ruleVerbs(providers),
  ...termVerbs,
  ...shadowVerbs,
];

const settingVerbs = [
  verb({
    ...read,
    name: 'price settings get',
    at: 'GET /pricing',
    title: 'Get the price settings',
    answer: PricingSchema,
    run: async (ctx) => pricingView(await getPricing(ctx)),
  }),
  verb({
    ...write,
    name: 'price settings update',
    at: 'PUT /pricing',
    title: 'Change the price settings',
    description: 'Changes the given fields. New jobs get the new prices; recorded jobs keep theirs.',
    body: PricingBody,
    answer: PricingSchema,
    run: async (ctx, { body }) => pricingView(await updatePricing(ctx, body as PricingChanges)),
  }),
  verb({
    ...read,
    name: 'price kind list',
    at: 'GET /pricing/runner-kinds',
    title: 'List the runner kinds',
    description:
      'All runner kinds that a price list or a rule can name, in the order of a price list, including those without a price.',
    answer: RunnerKindsSchema,
    columns: ['runner_kind', ['title', 'runner'], 'usd_per_minute'],
    run: async (ctx) => ({
      runner_kinds: (await listRunnerKinds(ctx)).map((kind) => runnerKindView(kind, ctx.providers)),
    }),
  }),
];

type ReadContext = VerbContext & { log: Pick<Logger, 'warn'> };

/** Some providers' minutes are counted in a later part. */
type ReadIncluded = (ctx: ReadContext, provider: string) => Promise<IncludedMinutes>;

const verbWithLog = verbsWith<ReadContext>();

const includedVerbs = (readIncluded: ReadIncluded) => [
  verbWithLog({
    ...read,
    name: 'price included-minutes get',
    at: 'GET /pricing/included-minutes',
    title: 'Get the use of included minutes',
    description:
      "This UTC month, on GitHub's standard runners, without public repositories, or on GitLab's runners. An estimate: a " +
      'minute on a more expensive runner uses more included minutes, in proportion to its price.',
    query: IncludedMinutesQuery,
    answer: IncludedMinutesSchema,
    run: async (ctx, { query }) =>
      includedMinutesView(await readIncluded(ctx, query.provider), ctx.clock.now(), ctx.providers),
  }),
];

const termColumns = [
  'provider',
  ['effective_from', 'from'],
  ['included_minutes.github_plan', 'plan'],
  ['included_minutes.minutes', 'minutes per month'],
  ['included_minutes.usd', 'dollars per month'],
  ['discount_percent', 'discount %'],
] as const;

const termVerbs = [
  verb({
    ...read,
    name: 'price published-terms list',
    at: 'GET /pricing/published-terms',
    title: 'List what providers include and do not bill',
    description:
      'The facts that this version knows, each with its first and last day and its source. What is only a hint ' +
      'applies to net cost if your billing terms choose it.',
    answer: PublishedTermsSchema,
    columns: ['about', 'title', 'per_month', 'unit', 'first_day', 'last_day', 'status', 'source'],
    run: (ctx) => publishedTermsView(ctx.providers),
  }),
  verb({
    ...read,
    name: 'price terms list',
    at: 'GET /pricing/terms',
    title: 'List the billing terms',
    page: '/settings/discounts',
    answer: TermsSchema,
    columns: termColumns,
    run: async (ctx) => (await listTerms(ctx)).map((each) => termsView(each, ctx)),
  }),
  verb({
    ...write,
    name: 'price terms replace',
    at: 'PUT /pricing/terms',
    title: 'Replace the billing terms',
    description:
      'Replaces all of them: what providers take off their list prices, each from its first day. Net cost is ' +
      'computed with them, also of recorded jobs. Without terms, nothing is included or discounted.',
    body: TermsBody,
    answer: TermsSchema,
    columns: termColumns,
    run: async (ctx, { body }) =>
      (await setTerms(ctx, body.terms as TermsInput[])).map((each) => termsView(each, ctx)),
  }),
  verb({
    ...write,
    name: 'price terms set',
    at: 'POST /pricing/terms',
    title: 'Set the billing terms from a day',
    description: 'Replaces those of the same provider from the same day, and keeps all others. Returns all.',
    body: OneTermsBody,
    answer: TermsSchema,
    columns: termColumns,
    run: async (ctx, { body }) =>
      (await addTerms(ctx, body as TermsInput)).map((each) => termsView(each, ctx)),
  }),
  verb({
    ...write,
    name: 'price terms remove',
    at: 'DELETE /pricing/terms',
    title: 'Remove the billing terms from a day',
    description: 'Keeps all others, and returns them.',
    query: TermsPlaceQuery,
    answer: TermsSchema,
    columns: termColumns,
    faults: [404],
    run: async (ctx, { query }) => (await removeTerms(ctx, query)).map((each) => termsView(each, ctx)),
  }),
];

const shadowVerbs = [
  verb({
    ...read,
    name: 'price shadow-rate list',
    at: 'GET /pricing/shadow-rates',
    title: 'List the shadow rates',
    answer: ShadowRatesSchema,
    run: async (ctx) => (await getShadowRates(ctx)).map(shadowRateView),
  }),
  verb({
    ...write,
    name: 'price shadow-rate set',
    at: 'PUT /pricing/shadow-rates',
    title: 'Set the shadow rates',
    description: 'Replaces all of them: your estimate of the cost per minute on runners that nobody bills.',
    body: ShadowRatesBody,
    answer: ShadowRatesSchema,
    run: async (ctx, { body }) =>
      (await setShadowRates(ctx, body.rates as Parameters<typeof setShadowRates>[1])).map(shadowRateView),
  }),
  verb({
    ...read,
    name: 'price shadow-cost get',
    at: 'GET /pricing/shadow',
    title: 'Get the cost of unbilled runners at the shadow rates',
    description: 'Nobody bills it, and no other cost includes it.',
    query: DaysQuery,
    answer: ShadowSchema,
    run: async (ctx, { query }) =>
      shadowView(await getShadowCost(ctx, Math.min(query.days, maxDays)), ctx.providers),
  }),
];

import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { Program } from '../../context.ts';
import { responses } from '../../platform/http/schemas.ts';
import { bookRoutes, ruleRoutes } from './books.routes.ts';
import { listRunnerKinds } from './books.ts';
import { getIncludedMinutes } from './includedMinutes.ts';
import type { Providers } from './provider.ts';
import {
  DaysQuery,
  IncludedMinutesSchema,
  PricingBody,
  PricingSchema,
  RunnerKindsSchema,
  ShadowRatesBody,
  ShadowRatesSchema,
  ShadowSchema,
  TermsBody,
  TermsSchema,
} from './schema.ts';
import { getPricing, updatePricing, type PricingChanges } from './settings.ts';
import { getShadowCost, getShadowRates, setShadowRates } from './shadow.ts';
import { listTerms, setTerms, termsView, type TermsInput } from './terms.ts';
import { includedMinutesView, pricingView, runnerKindView, shadowRateView, shadowView } from './views.ts';

const tags = ['Pricing'];
const reader = { access: { scope: 'costs:read', role: 'viewer' } } as const;
const admin = { access: { scope: 'admin', role: 'admin' } } as const;
const maxDays = 365;

export function pricingRoutes({ providers }: Pick<Program, 'providers'>): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.register(settingsRoutes);
    server.register(kindRoutes(providers));
    server.register(bookRoutes(providers));
    server.register(ruleRoutes(providers));
    server.register(termsRoutes);
    server.register(shadowRoutes(providers));
    done();
  };
}

const settingsRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.get(
    '/pricing',
    {
      config: reader,
      schema: { tags, summary: 'Get the price settings', response: responses(200, PricingSchema) },
    },
    async (request) => ({ data: pricingView(await getPricing(request.ctx)) }),
  );

  server.put(
    '/pricing',
    {
      config: admin,
      schema: {
        tags,
        summary: 'Change the price settings',
        description: 'Changes the given fields. New jobs get the new prices; recorded jobs keep theirs.',
        body: PricingBody,
        response: responses(200, PricingSchema),
      },
    },
    async (request) => ({
      data: pricingView(await updatePricing(request.ctx, request.body as PricingChanges)),
    }),
  );
  done();
};

function kindRoutes(providers: Providers): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.get(
      '/pricing/runner-kinds',
      {
        config: reader,
        schema: {
          tags,
          summary: 'List the runner kinds',
          description:
            'All runner kinds that a price list or a rule can name, in the order of a price list, including those without a price.',
          response: responses(200, RunnerKindsSchema),
        },
      },
      async (request) => ({
        data: { runner_kinds: (await listRunnerKinds(request.ctx)).map(runnerKindView) },
      }),
    );

    server.get(
      '/pricing/included-minutes',
      {
        config: reader,
        schema: {
          tags,
          summary: 'Get the use of included minutes',
          description:
            "This UTC month, on GitHub's standard runners, without public repositories. An estimate: a minute on a " +
            'more expensive runner uses more included minutes, in proportion to its price.',
          response: responses(200, IncludedMinutesSchema),
        },
      },
      async (request) => {
        const ctx = request.ctx;
        return { data: includedMinutesView(await getIncludedMinutes(ctx), ctx.clock.now(), providers) };
      },
    );
    done();
  };
}

const termsRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.get(
    '/pricing/terms',
    {
      config: reader,
      schema: { tags, summary: 'List the billing terms', response: responses(200, TermsSchema) },
    },
    async (request) => ({ data: (await listTerms(request.ctx)).map(termsView) }),
  );

  server.put(
    '/pricing/terms',
    {
      config: admin,
      schema: {
        tags,
        summary: 'Set the billing terms',
        description:
          'Replaces all of them: what providers take off their list prices, each from its first day. Net cost is ' +
          'computed with them, also of recorded jobs. Without terms, nothing is included or discounted.',
        body: TermsBody,
        response: responses(200, TermsSchema),
      },
    },
    async (request) => ({
      data: (await setTerms(request.ctx, request.body.terms as TermsInput[])).map(termsView),
    }),
  );
  done();
};

function shadowRoutes(providers: Providers): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.get(
      '/pricing/shadow-rates',
      {
        config: reader,
        schema: { tags, summary: 'List the shadow rates', response: responses(200, ShadowRatesSchema) },
      },
      async (request) => ({ data: (await getShadowRates(request.ctx)).map(shadowRateView) }),
    );

    server.put(
      '/pricing/shadow-rates',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Set the shadow rates',
          description:
            'Replaces all of them: your estimate of the cost per minute on runners that nobody bills.',
          body: ShadowRatesBody,
          response: responses(200, ShadowRatesSchema),
        },
      },
      async (request) => ({
        data: (
          await setShadowRates(request.ctx, request.body.rates as Parameters<typeof setShadowRates>[1])
        ).map(shadowRateView),
      }),
    );

    server.get(
      '/pricing/shadow',
      {
        config: reader,
        schema: {
          tags,
          summary: 'Get the cost of unbilled runners at the shadow rates',
          description: 'Nobody bills it, and no other cost includes it.',
          querystring: DaysQuery,
          response: responses(200, ShadowSchema),
        },
      },
      async (request) => {
        const days = Math.min(request.query.days, maxDays);
        return { data: shadowView(await getShadowCost(request.ctx, days), providers) };
      },
    );
    done();
  };
}

import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { Program } from '../../context.ts';
import { responses } from '../../platform/http/schemas.ts';
import { bookRoutes, ruleRoutes } from './books.routes.ts';
import { getIncludedMinutes } from './includedMinutes.ts';
import type { Providers } from './provider.ts';
import {
  DaysQuery,
  IncludedMinutesSchema,
  PricingBody,
  PricingSchema,
  ShadowRatesBody,
  ShadowRatesSchema,
  ShadowSchema,
} from './schema.ts';
import { getPricing, updatePricing, type PricingChanges } from './settings.ts';
import { getShadowCost, getShadowRates, setShadowRates } from './shadow.ts';
import { includedMinutesView, pricingView, shadowRateView, shadowView } from './views.ts';

const tags = ['Pricing'];
const reader = { access: { scope: 'costs:read', role: 'viewer' } } as const;
const admin = { access: { scope: 'admin', role: 'admin' } } as const;
const mostDaysBack = 365;

/** Price books, rules that map runners to prices, shadow rates, and included minutes. */
export function pricingRoutes({ providers }: Pick<Program, 'providers'>): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.register(settingsRoutes(providers));
    server.register(bookRoutes(providers));
    server.register(ruleRoutes(providers));
    server.register(shadowRoutes(providers));
    done();
  };
}

function settingsRoutes(providers: Providers): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.get(
      '/pricing',
      {
        config: reader,
        schema: { tags, summary: 'Get what prices jobs', response: responses(200, PricingSchema) },
      },
      async (request) => ({ data: pricingView(await getPricing(request.ctx)) }),
    );

    server.put(
      '/pricing',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Choose what prices jobs',
          description:
            'Changes what is given. Jobs that come from now on are priced with it; those recorded keep their price.',
          body: PricingBody,
          response: responses(200, PricingSchema),
        },
      },
      async (request) => ({
        data: pricingView(await updatePricing(request.ctx, request.body as PricingChanges)),
      }),
    );

    server.get(
      '/pricing/included-minutes',
      {
        config: reader,
        schema: {
          tags,
          summary: 'Get what is used of the included minutes',
          description:
            "This UTC month, on GitHub's standard runners, without public repositories. An estimate: a minute takes as " +
            'many included ones as it costs more than one on 2-core Linux.',
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
          description: 'All of them at once: what a minute on runners that nobody bills is reckoned to cost.',
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
          summary: 'Get what own runners come to at the shadow rates',
          description: 'Billed by nobody, and never part of a cost.',
          querystring: DaysQuery,
          response: responses(200, ShadowSchema),
        },
      },
      async (request) => {
        const days = Math.min(request.query.days, mostDaysBack);
        return { data: shadowView(await getShadowCost(request.ctx, days), providers) };
      },
    );
    done();
  };
}

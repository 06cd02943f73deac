import { verbsWith, type VerbContext } from '../../platform/http/verbs.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { dayOf } from '../../platform/lib/days.ts';
import { usd, usdOrNull } from '../../platform/lib/money.ts';
import { priceOn } from '../pricing/priceBook.ts';
import type { CostContext } from './costs.ts';
import { IncludedProductsSchema } from './includedProducts.schema.ts';
import { getIncludedProducts, includedProductView } from './includedProducts.ts';
import { HintsQuery, RateHintsSchema } from './rateHints.schema.ts';
import { listRateHints } from './rateHints.ts';

const verb = verbsWith<VerbContext & Pick<CostContext, 'log'>>();

const maxDays = 365;

export const includedProductVerbs = [
  verb({
    tag: 'Pricing',
    access: { scope: 'costs:read', role: 'viewer' },
    name: 'price included-product list',
    at: 'GET /pricing/included-products',
    title: 'Get the use of included storage and AI credits',
    description:
      'This UTC month, by the bill: storage of artifacts and packages that your GitHub plan includes, and the AI credits ' +
      'that your billing terms name. Each fetched or imported bill counts as far as it goes (`counted_until`).',
    page: '/settings/discounts',
    answer: IncludedProductsSchema,
    columns: ['title', 'used', 'included', 'unit', ['counted_until', 'counted until'], 'exhausted_on'],
    run: async (ctx) => (await getIncludedProducts(ctx)).map(includedProductView),
  }),
];

export const rateHintVerbs = [
  verb({
    tag: 'Pricing',
    access: { scope: 'costs:read', role: 'viewer' },
    name: 'price hint list',
    at: 'GET /pricing/hints',
    title: 'List what third-party runners cost',
    description:
      'Dated rates of companies that rent out runners for GitHub, from texts that we read. They are hints: nothing is ' +
      'priced with one before you accept it. Those for labels of your third-party jobs come first.',
    page: '/settings/pricing',
    query: HintsQuery,
    answer: RateHintsSchema,
    columns: [
      ['id', 'hint'],
      'company',
      'name',
      'usd_per_minute',
      'rounding',
      'confidence',
      'checked_on',
      'minutes',
      'rule_id',
    ],
    run: async (ctx, { query }) =>
      (await listRateHints(ctx, Math.min(query.days, maxDays))).map((hint) => ({
        ...apiFields(hint),
        usd_per_minute: usdOrNull(priceOn(hint.rates, dayOf(ctx.clock.now()))?.nanosPerMinute ?? null),
        rates: hint.rates.map(({ effectiveFrom, nanosPerMinute }) => ({
          effective_from: effectiveFrom,
          usd_per_minute: usd(nanosPerMinute),
        })),
      })),
  }),
];

import { idParams } from '../../platform/http/schemas.ts';
import { verbsWith, type VerbContext } from '../../platform/http/verbs.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { dayOf } from '../../platform/lib/days.ts';
import { usd, usdOrNull } from '../../platform/lib/money.ts';
import { RuleSchema } from '../pricing/books.schema.ts';
import { priceOn } from '../pricing/priceBook.ts';
import { ruleView } from '../pricing/views.ts';
import type { CostContext } from './costs.ts';
import { HintsQuery, RateHintsSchema } from './rateHints.schema.ts';
import { acceptRateHint, listRateHints } from './rateHints.ts';

const verb = verbsWith<VerbContext & Pick<CostContext, 'log'>>();

const tag = 'Pricing';
const maxDays = 365;

export const rateHintVerbs = [
  verb({
    tag,
    access: { scope: 'costs:read', role: 'viewer' },
    name: 'price hint list',
    at: 'GET /pricing/hints',
    title: 'List what third-party runners cost',
    description:
      'Dated rates of companies that rent out runners for GitHub, from texts that we read. They are hints: nothing is ' +
      'priced with one before you accept it. Those for labels of your third-party jobs come first.',
    page: '/settings/pricing?tab=rules',
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
  verb({
    tag,
    access: { scope: 'admin', role: 'admin' },
    name: 'price hint accept',
    at: 'POST /pricing/hints/:id/accept',
    title: 'Use the rate of a hint',
    description:
      'Makes a pricing rule with its rates, after your other rules. You can change or delete it like any rule. Recorded ' +
      'jobs keep their price until you reprice them.',
    params: idParams('blacksmith_2vcpu_ubuntu'),
    status: 201,
    answer: RuleSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id } }) => ruleView(await acceptRateHint(ctx, id)),
  }),
];

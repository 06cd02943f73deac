import type { Logger } from 'pino';
import { createCoalescer } from '../../platform/db/coalesce.ts';
import { verbsWith, type VerbContext } from '../../platform/http/verbs.ts';
import { planWindow } from '../../tenancy/organizations/plans.ts';
import { getRuleCosts, ruleCostsView } from './ruleCosts.ts';
import { RuleCostsQuery, RuleCostsSchema, ShowbackQuery, ShowbackSchema } from './schema.ts';
import {
  getShowback,
  readShowback,
  showbackCsv,
  showbackView,
  type AskedShowback,
  type Showback,
} from './showback.ts';

type ShowbackContext = VerbContext & { log: Logger };

const verb = verbsWith<ShowbackContext>();

const coalesce = createCoalescer<Showback>();

export const showbackVerbs = [
  verb({
    tag: 'Costs',
    access: { scope: 'costs:read', role: 'viewer' },
    name: 'showback get',
    at: 'GET /showback',
    title: 'Get what each team or cost center spent in a month',
    page: '/teams',
    description:
      'By the ownership rules. Unowned costs are a row of their own, so that the rows add up to the ' +
      'total exactly. With `Accept: text/csv` the answer is a CSV file.',
    query: ShowbackQuery,
    answer: ShowbackSchema,
    csv: {
      title: 'Showback',
      example: 'month,by,owner,cost_usd',
      file: async (ctx, { query }) => {
        const showback = await ask(ctx, query);
        const { month, by, metric } = showback.question;
        const of = metric === 'cost' ? '' : `-${metric.replace('_cost', '')}`;
        return { name: `showback-${month}-by-${by.replace('_', '-')}${of}`, text: showbackCsv(showback) };
      },
    },
    run: async (ctx, { query }) => showbackView(await ask(ctx, query)),
  }),
  verb({
    tag: 'Ownership',
    access: { scope: 'costs:read', role: 'viewer' },
    name: 'ownership cost list',
    at: 'GET /ownership/costs',
    title: 'Get what each ownership rule decides about',
    page: '/settings/owners',
    description:
      'The cost and the jobs that each rule was the first to match, on the days on which it holds, and what no rule of ' +
      'a kind matches. For each kind, they add up to the total exactly. A rule that is not listed decided about no job.',
    query: RuleCostsQuery,
    answer: RuleCostsSchema,
    rows: 'rules',
    columns: [['id', 'rule'], 'cost', 'jobs'],
    isCached: true,
    run: async (ctx, { query: { days } }) =>
      ruleCostsView(await getRuleCosts(ctx, planWindow(ctx.clock.now(), ctx.plan, days))),
  }),
];

function ask(ctx: ShowbackContext, asked: AskedShowback): Promise<Showback> {
  const question = readShowback(asked, ctx);
  return coalesce(JSON.stringify([ctx.actor.orgId, question]), () => getShowback(ctx, question));
}

import type { Static } from 'typebox';
import { getChange, type CostChange } from '../../ledger/costs/change.ts';
import { getCosts, type Costs } from '../../ledger/costs/costs.ts';
import { hasJudgedDays } from '../../ledger/costs/periods.ts';
import { findUnusualRule } from '../../ledger/costs/unusualDays.ts';
import { createCoalescer } from '../../platform/db/coalesce.ts';
import { verbsWith } from '../../platform/http/verbs.ts';
import { changeCsv, changeView } from './changeView.ts';
import { costsCsv, costsView } from './costsView.ts';
import { keyOf, listVerbs, read, type ExploreContext } from './lists.verbs.ts';
import { pullRequestListVerbs } from './pullRequests.verbs.ts';
import { readChangeQuestion, readQuestion } from './readQuestion.ts';
import { ChangeQuery, ChangeSchema, CostsQuery, CostsSchema } from './schema.ts';
import { workflowVerbs } from './workflows.verbs.ts';

const filterText =
  'A filter names a dimension: `branch=main`. Repeat it to match any of several values. `!` ' +
  'before a value excludes it, `*` stands for any characters, `=` takes the rest literally, and an empty value matches rows without one: `branch=release/*`, ' +
  '`actor=!dependabot[bot]`. `workflow` is an id or a name.';

const verb = verbsWith<ExploreContext>();

const coalesce = createCoalescer<Costs>();
const coalesceChange = createCoalescer<CostChange>();

export const exploreVerbs = [
  verb({
    ...read,
    name: 'cost list',
    at: 'GET /costs',
    title: 'Ask about costs',
    page: '/explore',
    assistant: true,
    description:
      'Cost, minutes and jobs of the jobs that completed in the period, or the runs that were created ' +
      'in it, by up to two dimensions. A question that groups or filters by `product` also has what the bill ' +
      'charges beside jobs: `cost` is its gross and `net_cost` its net amount. The amounts of `groups` and `other` add up to `total` exactly, ' +
      "and `total` equals the dashboard's for the same days. With `Accept: text/csv` the answer is a " +
      `CSV file.\n\n${filterText}`,
    query: CostsQuery,
    answer: CostsSchema,
    isCached: true,
    csv: {
      title: 'Costs',
      example: 'row,start,repository,cost_usd',
      file: async (ctx, { query }) => {
        const [question, costs] = await askCosts(ctx, query);
        const { start, end } = costs.period;
        return { name: `costs-${start}-to-${end}`, text: costsCsv(question, costs) };
      },
    },
    run: async (ctx, { query }) => costsView(...(await askCosts(ctx, query))),
  }),
  verb({
    ...read,
    name: 'cost change get',
    at: 'GET /costs/change',
    title: 'Explain what changed between two periods',
    page: '/explore',
    assistant: true,
    description:
      'Splits the change of cost into volume, duration, price and runner mix, for each group and in total. ' +
      'The four add up to the change exactly, and `groups` and `other` to `total`. `events` says what happened on which ' +
      'days, which jobs it was, which pull request or commit they came from, and whether it is over. `sentence` sums it ' +
      `up, and begins with the largest event. With \`Accept: text/csv\` the answer is a CSV file.\n\n${filterText}`,
    query: ChangeQuery,
    answer: ChangeSchema,
    isCached: true,
    csv: {
      title: 'The change',
      example: 'row,workflow,workflow_name,status,cost_usd',
      file: async (ctx, { query }) => {
        const [question, change] = await askChange(ctx, query);
        const { start, end } = change.period;
        return { name: `change-${start}-to-${end}`, text: changeCsv(question, change) };
      },
    },
    run: async (ctx, { query }) => changeView(...(await askChange(ctx, query))),
  }),
  ...listVerbs,
  ...workflowVerbs,
  ...pullRequestListVerbs,
];

async function askCosts(ctx: ExploreContext, query: Static<typeof CostsQuery>) {
  const question = readQuestion(query, ctx);
  const judging = hasJudgedDays(question) ? await findUnusualRule(ctx) : null;
  const costs = await coalesce(keyOf(ctx, question, judging), () => getCosts(ctx, question, judging));
  return [question, costs] as const;
}

async function askChange(ctx: ExploreContext, query: Static<typeof ChangeQuery>) {
  const question = readChangeQuestion(query, ctx);
  const rule = await findUnusualRule(ctx);
  const change = await coalesceChange(keyOf(ctx, question, rule), () => getChange(ctx, question, rule));
  return [question, change] as const;
}

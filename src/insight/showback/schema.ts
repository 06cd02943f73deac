import { Type } from 'typebox';
import { ownerships } from '../../ledger/costs/costQuestion.ts';
import { ownerKinds } from '../../ledger/ownership/owners.ts';
import {
  defaulted,
  nullableText,
  Period,
  periodOf,
  sampleText,
  Usd,
  usdOf,
  words,
} from '../../platform/http/schemas.ts';
import { calendarMonth } from '../../platform/http/validate.ts';
import { showbackMetrics } from './showback.ts';

export const ShowbackQuery = Type.Object({
  month: Type.Optional(
    Type.String({
      pattern: calendarMonth,
      description: 'UTC; this month if left out',
      examples: ['2026-03'],
    }),
  ),
  by: defaulted(words(ownerKinds), 'team' as const),
  metric: defaulted(
    words(showbackMetrics, {
      description:
        '`cost` is list cost; `net_cost` is list cost without free runners, included minutes and discounts; `full_cost` ' +
        'is list cost with pools of own runners, whose idle time is an owner of its own',
    }),
    'cost' as const,
  ),
  ownership: defaulted(
    words(ownerships, { description: 'the rules that held on the day of each job, or those of today' }),
    'of_day' as const,
  ),
});

const sums = {
  cost: usdOf('list, net or full cost, by `metric`'),
  minutes: Type.Integer({ description: 'billed minutes' }),
  jobs: Type.Integer(),
  previous_cost: usdOf('cost of `previous_period`'),
  change: Usd,
  change_percent: Type.Unsafe<number | null>({
    type: ['number', 'null'],
    description: 'one decimal; null if the previous cost is 0',
  }),
};

const mostExpensive = {
  repositories: Type.Array(Type.Object({ repository: sampleText('acme/api'), cost: Usd }), {
    description: 'the five most expensive',
  }),
  other_repositories: Type.Integer({ description: 'how many more there are' }),
};

export const ShowbackSchema = Type.Object({
  month: sampleText('2026-03'),
  by: words(ownerKinds),
  metric: words(showbackMetrics),
  ownership: words(ownerships),
  period: Period,
  previous_period: Type.Object(periodOf('2026-02-01', '2026-02-28', 28).properties, {
    description: 'the month before, or its same days if `period` is a part of the month',
  }),
  total: Type.Object(sums, { description: "equals the cost query's total of the period" }),
  owners: Type.Array(
    Type.Object({
      owner: nullableText('Platform', 'null: unowned'),
      name: sampleText('Platform', 'the owner, or `unowned`'),
      is_idle: Type.Boolean({ description: 'idle time of a runner pool, which has no owner' }),
      share_percent: Type.Number({ description: 'of the total, one decimal' }),
      ...sums,
      ...mostExpensive,
    }),
    { description: 'the most expensive first, then unowned costs, then idle time' },
  ),
});

export const RuleCostsQuery = Type.Object({
  days: defaulted(
    Type.Integer({ minimum: 1, description: "today and the days before it, cut to the plan's history" }),
    30,
  ),
});

const decided = { cost: usdOf('at list prices'), jobs: Type.Integer() };

export const RuleCostsSchema = Type.Object({
  period: Period,
  total: Type.Object(decided),
  rules: Type.Array(Type.Object({ id: sampleText('own_5d1f7a3c9e2b8046a1c8'), ...decided }), {
    description: 'rules that decided about a job',
  }),
  unowned: Type.Array(
    Type.Object({
      kind: words(ownerKinds),
      ...decided,
      share_percent: Type.Number({ description: 'of the total, one decimal' }),
      ...mostExpensive,
    }),
    { description: 'jobs that no rule of the kind matches, if there are any' },
  ),
});

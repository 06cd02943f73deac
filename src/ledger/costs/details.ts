import { daysOf, previousOf, type Day, type Window } from '../../platform/lib/days.ts';
import { notFound } from '../../platform/lib/errors.ts';
import { compare, sumOf } from '../../platform/lib/lists.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { planWindow } from '../../tenancy/organizations/plans.ts';
import { percentChange } from './ratios.ts';
import { type PlanCostContext } from './summary.ts';
import { readSumsTogether } from './sums.ts';
import { findLatestRuns } from './workflows.queries.ts';

const ofDay = [
  'costNanos',
  'netCostNanos',
  'billedMinutes',
  'runs',
  'completedRuns',
  'skippedRuns',
  'successfulRuns',
  'durationSeconds',
] as const;
const ofRunner = ['jobs', 'billedMinutes', 'costNanos'] as const;

type Totals = Record<(typeof ofDay)[number], bigint>;

export type DetailedWorkflow = {
  id: string;
  name: string;
  repository: string;
  totals: Totals;
  lastRunAt: Date | null;
  trendPercent: number;
  previousCostNanos: Nanos;
  daily: (Totals & { day: Day })[];
  runnerKinds: (Record<(typeof ofRunner)[number], bigint> & { kind: string })[];
  period: Window;
};

export async function getWorkflow(ctx: PlanCostContext, id: string, days: number): Promise<DetailedWorkflow> {
  const period = planWindow(ctx.clock.now(), ctx.plan, days);
  const filters = [{ dimension: 'workflowId', values: [`=${id}`] }] as const;
  const questions = [
    { window: period, by: 'day', filters, sums: ofDay },
    { window: previousOf(period, 'day'), by: 'day', filters, sums: ['costNanos'] },
    { window: period, by: 'runner', filters, sums: ofRunner },
  ] as const;
  const { sums, workflows, more } = await readSumsTogether(ctx, questions, (tx) =>
    findLatestRuns(tx, ctx.actor.orgId, period, [id]),
  );
  const workflow = workflows.get(id);
  if (!workflow) throw notFound('workflow');
  const [byDay, previous, byRunner] = sums;
  const daily = daysOf(period).map((day) => ({ day, ...(byDay.get(day) ?? nothing) }));
  const totals = Object.fromEntries(ofDay.map((name) => [name, sumOf(daily, name)])) as Totals;
  const previousCostNanos = sumOf([...previous.values()], 'costNanos');
  return {
    id,
    ...workflow,
    totals,
    lastRunAt: more.get(id)?.createdAt ?? null,
    trendPercent: percentChange(totals.costNanos, previousCostNanos),
    previousCostNanos,
    daily,
    runnerKinds: [...byRunner].map(([kind, sum]) => ({ kind: kind ?? 'unpriced', ...sum })).toSorted(byCost),
    period,
  };
}

const nothing = Object.fromEntries(ofDay.map((name) => [name, 0n])) as Totals;

function byCost(a: DetailedWorkflow['runnerKinds'][number], b: DetailedWorkflow['runnerKinds'][number]) {
  return (
    compare(b.costNanos, a.costNanos) || compare(b.billedMinutes, a.billedMinutes) || compare(a.kind, b.kind)
  );
}

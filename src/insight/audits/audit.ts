import { type PlanCostContext, getTrends } from '../../ledger/costs/summary.ts';
import { getTopWorkflows } from '../../ledger/costs/workflowSums.ts';
import { findCoverable } from '../../ledger/pricing/netCost.ts';
import { type GitHubPlan, planAllowance } from '../../ledger/pricing/publishedTerms.ts';
import { whatIf } from '../../ledger/repricing/whatIf.ts';
import { listUnpriced } from '../../ledger/runs/reading.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { dayOf, startOfDay, windowBetween } from '../../platform/lib/days.ts';
import { smaller, sumOf as total } from '../../platform/lib/lists.ts';
import { type Nanos, usd } from '../../platform/lib/money.ts';
import { getStorage, storageView } from '../storageCosts/storage.ts';
import { listFixes } from '../waste/fixesView.ts';
import type { WasteContext } from '../waste/getWaste.ts';
import { sumOf } from '../waste/jobGroups.ts';

export type Audited = {
  /** As entered: owner/name, or an owner. */
  target: string;
  repositories: readonly string[];
  since: Date;
  until: Date;
  runs: {
    read: number;
    total: number;
    readSince: Date | null;
    stoppedBy: { reason: string; message: string | null } | null;
    problems: string[];
  };
  /** Why storage could not be read. */
  storageProblems: readonly string[];
  plan: GitHubPlan | null;
};

export type Amount = { nanos: Nanos; monthNanos: Nanos };

export type Audit = Awaited<ReturnType<typeof readAudit>>;

export const maxWorkflows = 5;
const maxRunners = 20;

export async function readAudit(ctx: WasteContext & PlanCostContext, audited: Audited) {
  const period = windowBetween(dayOf(audited.since), dayOf(audited.until));
  const { days } = period;
  const inMonth = monthly(audited);
  const amount = (nanos: Nanos): Amount => ({ nanos, monthNanos: inMonth(nanos) });
  const trends = await getTrends(ctx, days);
  const netNanos = total(trends.data, 'netCostNanos');
  const { allowance, priceLists } = ctx.providers.of('github')!;
  const coverable = await findCoverable(ctx, period, 'github');
  // Included minutes are per month, so they are subtracted from a whole month.
  const included =
    audited.plan && planAllowance(allowance!, { plan: audited.plan, unit: 'minutes' }, period.end);
  const includedMinutes = included?.perMonth ?? 0n;
  const coveredNanos = smaller(inMonth(coverable.nanos), includedMinutes * coverable.nanosPerMinute);
  const { waste, fixes: found } = await listFixes(ctx, { days, repo: undefined, workflowId: undefined });
  const fixes = found.map((fix) => {
    const { savingNanos, usualNanos, leftOutDays } = fix;
    /** Of the fix, or of a suggestion by its part of the fix. */
    const saving = (nanos: Nanos): Amount => {
      const usualPart = savingNanos === 0n ? 0n : (usualNanos * nanos) / savingNanos;
      return { nanos, monthNanos: inMonth(usualPart, leftOutDays.length) };
    };
    const suggestions = fix.suggestions.map((each) => ({ ...each, saving: saving(each.savingNanos) }));
    return { ...fix, suggestions, saving: saving(savingNanos) };
  });
  const lists = priceLists.filter(({ isByDate }) => !isByDate);
  const [earlier, latest] = [lists.at(-2)!, lists.at(-1)!];
  const before = await whatIf(ctx, { days, book_id: earlier.id });
  const after = await whatIf(ctx, { days, book_id: latest.id, scenario: 'self_hosted_fee' });
  return {
    ...audited,
    includedMinutes,
    period,
    list: amount(total(trends.data, 'costNanos')),
    net: { nanos: netNanos, monthNanos: inMonth(netNanos) - coveredNanos },
    workflows: await getTopWorkflows(ctx, { days, limit: maxWorkflows }),
    waste: amount(sumOf(waste.split, 'waste').costNanos),
    fixes,
    saving: {
      nanos: total(fixes, 'savingNanos'),
      monthNanos: fixes.reduce((sum, { saving }) => sum + saving.monthNanos, 0n),
    },
    prices: {
      earlier: { id: earlier.id, lastDay: earlier.end!.lastDay, ...amount(before.total.thenNanos) },
      latest: { id: latest.id, ...amount(after.total.thenNanos - after.total.scenarioNanos) },
      fee: amount(after.total.scenarioNanos),
    },
    storage: await getStorage(ctx, {}),
    unpriced: await listUnpriced(ctx, { days, page: 1, perPage: maxRunners }),
  };
}

const dayMilliseconds = 86_400_000;
const monthMilliseconds = BigInt(30 * dayMilliseconds);
/** A shorter time is too little for a month's cost. */
const minMilliseconds = 3_600_000;

/** Scales the cost of the read runs to 30 days, from the oldest run or the start of the first day. */
function monthly({ runs, since, until }: Audited) {
  const start = runs.readSince ?? startOfDay(dayOf(since));
  return (nanos: Nanos, leftOutDays = 0): Nanos => {
    const counted = until.getTime() - start.getTime() - leftOutDays * dayMilliseconds;
    return (nanos * monthMilliseconds) / BigInt(Math.max(minMilliseconds, counted));
  };
}

const money = ({ nanos, monthNanos }: Amount) => ({ period: usd(nanos), month: usd(monthNanos) });

export function auditView(audit: Audit) {
  const { target, repositories, period, runs, plan, unpriced, fixes, prices } = audit;
  return {
    target,
    repositories,
    period: { start: period.start, end: period.end, days: period.days },
    runs: {
      read: runs.read,
      total: runs.total,
      read_since: runs.readSince,
      stopped_by: runs.stoppedBy?.reason ?? null,
      problems: runs.problems,
    },
    github_plan: plan,
    list_cost: money(audit.list),
    net_cost: money(audit.net),
    workflows: audit.workflows.map(({ workflowName, repository, costNanos, netCostNanos, runs: count }) => ({
      name: workflowName,
      repository,
      runs: Number(count),
      list_cost: usd(costNanos),
      net_cost: usd(netCostNanos),
    })),
    waste: {
      cost: money(audit.waste),
      saving: money(audit.saving),
      fixes: fixes.flatMap(({ workflow, category, suggestions, leftOutDays }) =>
        suggestions.map(({ action, text, yaml, saving }) => ({
          repository: workflow.repository,
          workflow: workflow.name,
          category,
          action,
          text,
          yaml,
          saving: money(saving),
          left_out_days: [...leftOutDays],
        })),
      ),
    },
    storage: { ...storageView(audit.storage, audit.storage.priced), problems: [...audit.storageProblems] },
    prices: {
      [prices.earlier.id]: money(prices.earlier),
      [prices.latest.id]: money(prices.latest),
      postponed_self_hosted_fee: money(prices.fee),
    },
    unpriced: {
      jobs: unpriced.jobs,
      minutes: unpriced.minutes,
      runners: unpriced.runners.map(apiFields),
    },
  };
}

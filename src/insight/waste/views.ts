import { usd, type Nanos } from '../../platform/lib/money.ts';
import type { Waste, WorkflowWaste } from './getWaste.ts';
import { categories, sumOf, type Category, type Share, type Split } from './jobGroups.ts';

/** The window's waste as the API and the command line show it, with these of its workflows. */
export function wasteView({ period, split }: Waste, workflows: readonly WorkflowWaste[]) {
  const total = sumOf(split, 'all');
  return {
    period,
    total_cost: usd(total.costNanos),
    useful_cost: usd(split.useful.costNanos),
    waste_cost: usd(sumOf(split, 'waste').costNanos),
    total_minutes: minutes(total.ms),
    useful_minutes: minutes(split.useful.ms),
    categories: categoryViews(split),
    workflows: workflows.map(workflowView),
  };
}

function workflowView({ id, name, repository, split, suggestions }: WorkflowWaste) {
  return {
    workflow_id: id,
    name,
    repository,
    cost: usd(sumOf(split, 'all').costNanos),
    waste_cost: usd(sumOf(split, 'waste').costNanos),
    categories: categoryViews(split),
    suggestions: suggestions.map(({ savingNanos, ...suggestion }) => ({
      ...suggestion,
      saving: usd(savingNanos),
    })),
  };
}

function categoryViews(split: Split) {
  const { costNanos } = sumOf(split, 'all');
  return categories.map((category) => shareView(category, split[category], costNanos));
}

function shareView(category: Category, share: Share, totalNanos: Nanos) {
  return {
    category,
    cost: usd(share.costNanos),
    minutes: minutes(share.ms),
    jobs: Number(share.jobs),
    share_percent: percentOf(share.costNanos, totalNanos),
    waited_minutes: minutes(share.waitedMs),
  };
}

/** With one decimal, rounded half up; 0 of nothing. */
export function percentOf(part: Nanos, whole: Nanos): number {
  return whole === 0n ? 0 : Number((2_000n * part + whole) / (2n * whole)) / 10;
}

function minutes(ms: bigint): number {
  return Number(ms) / 60_000;
}

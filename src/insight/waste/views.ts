import { percentOf, usd, type Nanos } from '../../platform/lib/money.ts';
import type { Waste, WorkflowWaste } from './getWaste.ts';
import { categories, sumOf, type Category, type Share, type Split } from './jobGroups.ts';
import type { Suggestion } from './suggest.ts';

export function wasteView(waste: Waste) {
  return { ...totalsView(waste), workflows: waste.shown.map(workflowView) };
}

export function totalsView({ period, split }: Pick<Waste, 'period' | 'split'>) {
  const total = sumOf(split, 'all');
  return {
    period,
    total_cost: usd(total.costNanos),
    useful_cost: usd(split.useful.costNanos),
    waste_cost: usd(sumOf(split, 'waste').costNanos),
    total_minutes: minutes(total.ms),
    useful_minutes: minutes(split.useful.ms),
    categories: categoryViews(split),
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
    suggestions: suggestions.map(suggestionView),
  };
}

export function suggestionView({ savingNanos, ...suggestion }: Suggestion) {
  return { ...suggestion, saving: usd(savingNanos) };
}

export function categoryViews(split: Split) {
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

export function minutes(ms: bigint): number {
  return Number(ms) / 60_000;
}

import { percentOf, usd, type Nanos } from '../../platform/lib/money.ts';
import type { Waste, WorkflowWaste } from './getWaste.ts';
import { categories, sumOf, type Category, type Amounts, type Split } from './jobGroups.ts';
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

export function suggestionView({ savingNanos, limits: _, ...suggestion }: Suggestion) {
  return { ...suggestion, saving: usd(savingNanos) };
}

export function categoryViews(split: Split) {
  const { costNanos } = sumOf(split, 'all');
  return categories.map((category) => amountsView(category, split[category], costNanos));
}

function amountsView(category: Category, amounts: Amounts, totalNanos: Nanos) {
  return {
    category,
    cost: usd(amounts.costNanos),
    minutes: minutes(amounts.ms),
    jobs: Number(amounts.jobs),
    share_percent: percentOf(amounts.costNanos, totalNanos),
    waited_minutes: minutes(amounts.waitedMs),
  };
}

export function minutes(ms: bigint): number {
  return Number(ms) / 60_000;
}

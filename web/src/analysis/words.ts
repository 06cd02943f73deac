import type { Answer } from '../api/query.ts';
import { axisDollars, count, countOf, dollars, exactDollars } from '../ui/figures.ts';

type Words = {
  title: string;
  /** Text of a sum, such as `$3.20` or `12 jobs`. */
  amount: (value: number) => string;
  /** Text in a column that names the metric. */
  cell: (value: number) => string;
  exactly: (value: number) => string;
  axis: (value: number) => string;
  isWhole: boolean;
};

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

function counted(title: string, one: string): Words {
  const amount = (value: number) => countOf(value, one);
  return {
    title,
    amount,
    cell: count,
    exactly: amount,
    axis: (value) => compact.format(value),
    isWhole: true,
  };
}

const money = (title: string): Words => ({
  title,
  amount: dollars,
  cell: dollars,
  exactly: exactDollars,
  axis: axisDollars,
  isWhole: false,
});

export const metrics = {
  cost: money('Cost'),
  net_cost: money('Net cost'),
  full_cost: money('Full cost'),
  minutes: counted('Billed minutes', 'minute'),
  jobs: counted('Jobs', 'job'),
  runs: counted('Runs', 'run'),
} satisfies Record<string, Words>;

export type Metric = keyof typeof metrics;

/** The API's names in the order of the lists. Days are missing because the range covers them. */
export const dimensions = {
  repository: 'Repository',
  product: 'Product',
  team: 'Team',
  cost_center: 'Cost center',
  workflow: 'Workflow',
  job: 'Job',
  runner: 'Runner',
  runner_group: 'Runner group',
  label: 'Labels',
  branch: 'Branch',
  pull_request: 'Pull request',
  pull_request_state: 'Pull request state',
  pull_request_author: 'Pull request author',
  actor: 'Triggered by',
  actor_kind: 'Kind of actor',
  started_by: 'Started by',
  event: 'Event',
  conclusion: 'Conclusion',
  provider: 'Provider',
  visibility: 'Visibility',
  weekday: 'Weekday',
  hour: 'Hour',
} as const satisfies Record<Exclude<Answer<'/api/v1/costs'>['group_by'][number], 'day'>, string>;

export type Dimension = keyof typeof dimensions;

export const dimensionNames = Object.keys(dimensions) as Dimension[];

/** Jobs are compute; the other products are on the bill only. */
export const productTitles: Record<Product, string> = {
  compute: 'Compute',
  storage: 'Storage',
  ai_credits: 'AI credits',
  sandbox: 'Sandboxes',
  lfs: 'Git LFS',
  third_party: 'Marketplace apps',
  other: 'Other products',
};

export type Product = Answer<'/api/v1/bills/months'>[number]['products'][number]['product'];

/** A run has several of each, so runs cannot be counted by them. */
export const ofJobsOnly: readonly string[] = ['job', 'runner', 'runner_group', 'label'] satisfies Dimension[];

export function dimensionTitle(name: string): string {
  // Own properties only, because the address can contain `__proto__`.
  return Object.hasOwn(dimensions, name) ? dimensions[name as Dimension] : name;
}

const people: Partial<Record<string, string>> = {
  actor: 'who triggered the run',
  started_by: 'who started the run',
};

/** After "by", as in "Cost by team and workflow". */
export function groupingInWords(names: readonly string[]): string {
  return names.map((name) => people[name] ?? dimensionTitle(name).toLowerCase()).join(' and ');
}

/** Costs that no ownership rule matches. No team can have this name. */
export const unowned = 'Unowned';

/** Jobs whose runner is in no price list. */
export const unpriced = 'Unpriced';

/** As the API names what kind of actor triggered an attempt. */
export const actorKindTitles = { person: 'People', bot: 'Bots', agent: 'Agents' };

export const pullRequestStates: Partial<Record<string, string>> = {
  merged: 'Merged',
  closed: 'Closed without merge',
  open: 'Open',
  draft: 'Draft',
  unknown: 'Unknown',
};

export function valueTitle(dimension: string, name: string): string {
  if ((dimension === 'team' || dimension === 'cost_center') && name === 'unowned') return unowned;
  if (dimension === 'runner' && name === 'unpriced') return unpriced;
  if (dimension === 'actor_kind')
    return Object.hasOwn(actorKindTitles, name)
      ? actorKindTitles[name as keyof typeof actorKindTitles]
      : name;
  if (dimension === 'product')
    return Object.hasOwn(productTitles, name) ? productTitles[name as Product] : name;
  if (dimension === 'weekday') return name.charAt(0).toUpperCase() + name.slice(1);
  if (dimension === 'hour' && /^\d\d$/.test(name)) return `${name}:00`;
  if (dimension === 'pull_request_state') return pullRequestStates[name] ?? name;
  if (dimension === 'pull_request' && /^\d+$/.test(name)) return `#${name}`;
  return dimension === 'conclusion' && name === 'cancelled' ? 'canceled' : name;
}

export const comparisons = {
  none: 'None',
  previous_period: 'Previous period',
  previous_year: 'Previous year',
} as const;

export type Comparison = keyof typeof comparisons;

export const granularities = { day: 'Day', week: 'Week', month: 'Month' } as const;

export type Granularity = keyof typeof granularities;

import type { RuncostClient } from '../client.ts';
import { dimensionTexts } from '../insight/explore/dimensionTexts.ts';
import { dimensionNames } from '../insight/explore/readQuestion.ts';
import { statuses } from '../insight/waste/fixes.ts';
import { categories } from '../insight/waste/jobGroups.ts';
import {
  comparisons,
  granularities,
  metrics,
  ownerships,
  sorts,
  type Metric,
} from '../ledger/costs/costQuestion.ts';
import { invalid } from '../platform/lib/errors.ts';
import { weekStarts } from '../tenancy/organizations/organizations.ts';
import { historyDays } from '../tenancy/organizations/plans.ts';
import { estimateProviders, readEstimateQuestion } from './estimateQuestion.ts';

/** A property in JSON Schema. */
type Property = { type: string; description: string } & Record<string, unknown>;
type Arguments = Record<string, unknown>;

export type McpTool = {
  name: string;
  title: string;
  description: string;
  properties: Record<string, Property>;
  call: (given: Arguments, runcost: RuncostClient, signal: AbortSignal) => Promise<object>;
};

const text = (description: string): Property => ({ type: 'string', maxLength: 2_000, description });
const day = (description: string): Property => ({ type: 'string', format: 'date', description });
const word = (values: readonly string[], description: string): Property => ({
  type: 'string',
  enum: values,
  description,
});
const count = (description: string, maximum?: number): Property => ({
  type: 'integer',
  minimum: 1,
  ...(maximum && { maximum }),
  description,
});

/** No plan shows more days. */
const maxDays = Math.max(...Object.values(historyDays));

const window = {
  from: day('First day, UTC, such as 2026-01-31.'),
  to: day('Last day, UTC; today by default.'),
  days: count('Today and the days before it, in place of from and to; 30 by default.', maxDays),
};

const maxValues = 50;
const maxValue = 500;
/** Total length of all filters, which are part of a URL. */
const maxFilters = 8_000;

const howToFilter = 'Any of these values; ! before a value excludes it, * stands for any characters.';
const filters = Object.fromEntries(
  dimensionNames.map((name): [string, Property] => {
    const [meaning, example] = dimensionTexts[name];
    const description = `Only these: ${meaning}. Such as ["${example}"]. ${howToFilter}`;
    const items = { type: 'string', maxLength: maxValue };
    return [name, { type: 'array', items, maxItems: maxValues, description }];
  }),
);

const groupBy = text(`One or two, separated by a comma: ${dimensionNames.join(', ')}.`);
const ownership = word(
  ownerships,
  'For team and cost_center: the rules of the day of each job (the default), or those of today.',
);
const weekStart = word(weekStarts, 'The first day of weeks, monday by default.');
const groups = count('Groups to list, 20 by default; the rest is summed up in other.', 1_000);

const amounts =
  'Amounts are US dollars (USD) as decimal numbers with up to nine decimals, that is, exact to the nano-dollar.';

const costs: McpTool = {
  name: 'costs',
  title: 'CI costs',
  description: `What CI/CD jobs cost in a period, in total and by up to two dimensions such as repository, workflow, job, runner, branch or team; also billed minutes, and counts of jobs or runs. groups and other add up to total exactly. ${amounts} unit names the unit of the values. Cost is list cost; the metric net_cost takes off free runners, included minutes and discounts.`,
  properties: {
    ...window,
    group_by: groupBy,
    metric: word(metrics, 'cost by default. minutes are billed minutes.'),
    granularity: word(granularities, 'total (the default), or a series with a value for each span.'),
    week_start: weekStart,
    compare: word(comparisons, 'Adds the values of an earlier period, and the change; none by default.'),
    sort: word(sorts, 'Of the groups; - sorts downwards. -value by default.'),
    ownership,
    limit: groups,
    ...filters,
  },
  call: async (given, runcost, signal) => {
    const query = withinLimits(given);
    const { data } = await runcost.GET('/api/v1/costs', { params: { query }, signal });
    requireDays(given, data.data.period);
    return { unit: units[data.data.metric], ...data.data };
  },
};

function withinLimits(given: Arguments): Arguments {
  const length = dimensionNames.reduce(
    (sum, name) => sum + encodeURIComponent(JSON.stringify(given[name] ?? '')).length,
    0,
  );
  if (length <= maxFilters) return given;
  const message = `have ${length} characters together, and may have ${maxFilters}: give fewer values, or use *`;
  throw invalid('The filters', message);
}

/** Otherwise fewer days than requested would pass for all of them. */
function requireDays({ days }: Arguments, period: { days: number }): void {
  if (typeof days === 'number' && days > period.days)
    throw invalid('days', `must be at most ${period.days}: the plan of the organization shows no older days`);
}

const units: Record<Metric, string> = {
  cost: 'US dollars, list cost',
  net_cost: 'US dollars, net cost',
  minutes: 'billed minutes',
  jobs: 'jobs',
  runs: 'runs',
};

const dollars = 'US dollars';

const change: McpTool = {
  name: 'change',
  title: 'What changed',
  description: `Why CI/CD costs rose or fell between two periods: splits the change of each group into volume (more or fewer jobs), duration, price and mix (of runners), which add up to the change exactly. sentence says it in words. ${amounts}`,
  properties: {
    ...window,
    compare: word(
      comparisons.filter((name) => name !== 'none'),
      'What to compare with: the previous period (the default), or the same dates a year before.',
    ),
    compared_from: day('First day to compare with, in place of compare.'),
    compared_to: day('Last day to compare with.'),
    week_start: weekStart,
    group_by: { ...groupBy, description: `${groupBy.description} workflow by default.` },
    ownership,
    limit: groups,
    ...filters,
  },
  call: async (given, runcost, signal) => {
    const query = withinLimits(given);
    const { data } = await runcost.GET('/api/v1/costs/change', { params: { query }, signal });
    requireDays(given, data.data.period);
    return { unit: dollars, ...data.data };
  },
};

const waste: McpTool = {
  name: 'waste',
  title: 'CI waste and fixes',
  description: `What CI/CD jobs waste, and what to change: fixes by workflow and category, open ones by what they save, with suggestions (often as YAML), saving in the period and saving_per_month, which leaves out left_out_days, marked unusual. Categories: rounding of short jobs up to a whole minute, failed, superseded by a newer commit, rerun, skipped_after_queueing. ${amounts}`,
  properties: {
    days: count('Today and the days before it; 30 by default.', 90),
    from: day('First day, UTC, in place of days; at most 90 days up to to.'),
    to: day('Last day, UTC.'),
    workflow_id: text('Only this workflow: wf_…, as costs and waste show it.'),
    repository: text('Only this repository: owner/name, or the bare name.'),
    compare: word(comparisons, 'Adds the waste of an earlier period in previous; none by default.'),
    week_start: weekStart,
    category: word(categories, 'Only fixes of this category.'),
    status: word(statuses, 'Only fixes that people left open, marked as done or dismissed; all by default.'),
    page: count('Page of the list of fixes, 1 by default.'),
    per_page: count('Fixes of a page; 50 by default.', 100),
  },
  call: async ({ repository, ...given }, runcost, signal) => {
    const query = { ...given, ...(repository !== undefined && { repo: repository as string }) };
    const { data } = await runcost.GET('/api/v1/waste/fixes', { params: { query }, signal });
    return { unit: dollars, ...data.data, pagination: data.pagination };
  },
};

const estimate: McpTool = {
  name: 'estimate',
  title: 'Estimate a workflow change',
  description: `What a change of GitHub Actions or GitLab CI workflow files costs or saves, before it is merged: change, by job, with a likely range (low to high), assumptions and what could not be resolved. Sends the workflow files of both revisions to the Runcost server; changes and runs nothing. ${amounts} monthly_cost is for \`days\` days.`,
  properties: {
    folder: text('Absolute path of a git clone on this computer; by default where this server was started.'),
    base: text(
      'Before the change: a branch, tag or commit of the clone, or a folder. By default where the branch left the default branch.',
    ),
    head: text('With the change: a ref or a folder. By default the working tree.'),
    repository: text('owner/name whose recorded runs count; by default that of the git remote origin.'),
    provider: word(estimateProviders, 'Whose workflow files to read; by the files by default.'),
    days: count('Days that the amounts are for; 30 by default.', 90),
  },
  call: async (given, runcost, signal) => {
    const { folder = '.', days = 30, ...revisions } = given as { folder?: string; days?: number };
    const body = await readEstimateQuestion({ folder, days, ...revisions });
    const { data } = await runcost.POST('/api/v1/estimates', { body: body as never, signal });
    return { unit: dollars, ...data.data };
  },
};

export const mcpTools: readonly McpTool[] = [costs, change, waste, estimate];

import { actorKinds } from '../../ledger/actors/actorPattern.ts';
import type { ChangeQuestion } from '../../ledger/costs/change.ts';
import {
  ofJobsOnly as ofJobs,
  type CostQuestion,
  type Dimension,
  type Filter,
  type ownerships,
} from '../../ledger/costs/costQuestion.ts';
import { isIdle } from '../../ledger/costs/fullCost.ts';
import { previousWindowOf } from '../../ledger/costs/periods.ts';
import { pullRequestStates } from '../../ledger/pullRequests/pullRequests.ts';
import type { Plan } from '../../platform/lib/actor.ts';
import {
  dayOf,
  previousOf,
  unitOf,
  weekdays,
  windowBetween,
  type Day,
  type Unit,
  type Window,
} from '../../platform/lib/days.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { products } from '../../platform/lib/products.ts';
import { nearestOf } from '../../platform/lib/text.ts';
import type { Clock } from '../../platform/lib/time.ts';
import { historyDays, planWindow } from '../../tenancy/organizations/plans.ts';

/** Keyed by the names in the API. */
export const dimensions = {
  repository: 'repository',
  workflow: 'workflowId',
  job: 'job',
  runner: 'runner',
  runner_group: 'runnerGroup',
  label: 'label',
  provider: 'provider',
  branch: 'branch',
  event: 'event',
  actor: 'actor',
  actor_kind: 'actorKind',
  started_by: 'startedBy',
  pull_request: 'pullRequest',
  pull_request_state: 'pullRequestState',
  pull_request_author: 'pullRequestAuthor',
  conclusion: 'conclusion',
  visibility: 'isPrivate',
  team: 'team',
  cost_center: 'costCenter',
  product: 'product',
  day: 'day',
  weekday: 'weekday',
  hour: 'hour',
} as const satisfies Record<string, Dimension>;

export type DimensionName = keyof typeof dimensions;

export const dimensionNames = Object.keys(dimensions) as DimensionName[];

/** Of jobs and runs. Only the cost query knows products, which come from the bill. */
export const dimensionsOfJobs = dimensionNames.filter((name) => name !== 'product');

export const ofJobsOnly = dimensionNames.filter((name) => ofJobs.has(dimensions[name]));

export type WindowParameters = {
  from?: string | undefined;
  to?: string | undefined;
  days?: number | undefined;
};

export type WeekParameters = { week_start?: CostQuestion['weekStart'] };

export type OwnershipParameters = { ownership?: (typeof ownerships)[number] | undefined };

export type CostsParameters = WindowParameters &
  OwnershipParameters &
  FilterParameters & { group_by: string } & Pick<
    CostQuestion,
    'metric' | 'granularity' | 'compare' | 'sort' | 'limit'
  > &
  WeekParameters;

const defaultDays = 30;
const maxGroupBy = 2;
const maxPoints = 20_000;
const daysPerSpan = { total: 1, day: 1, week: 7, month: 28 };

export function readQuestion(
  parameters: CostsParameters,
  { clock, plan }: { clock: Clock; plan: Plan },
): CostQuestion {
  const groupBy = readGroupBy(parameters.group_by);
  const filters = readFilters(parameters);
  const names = [...groupBy, ...filters.map(({ name }) => name)];
  const ofJob = names.find((name) => parameters.metric === 'runs' && ofJobsOnly.includes(name));
  if (ofJob)
    throw invalid('metric', `must not be runs with ${ofJob}, because a run has several; ask for jobs`);
  if (groupBy.includes('day') && parameters.compare !== 'none') {
    throw invalid(
      'group_by',
      'must not be day in a comparison, because no day is in both; use granularity=day',
    );
  }
  if (parameters.sort.endsWith('change') && parameters.compare === 'none') {
    throw invalid('sort', 'must not be change without a comparison');
  }
  const window = readWindow(parameters, { clock, plan });
  const unit = unitAsked(parameters, window);
  checkPoints({ ...parameters, window }, 'limit');
  return {
    window,
    unit,
    groupBy: groupBy.map((name) => dimensions[name]),
    filters: filters.map(({ filter }) => filter),
    metric: parameters.metric,
    granularity: parameters.granularity,
    weekStart: parameters.week_start,
    compare: parameters.compare,
    sort: parameters.sort,
    limit: parameters.limit,
    ownersOn: readOwnersOn(parameters, clock),
  };
}

/** Limits groups times time spans, so that responses do not grow to many megabytes. */
export function checkPoints(
  { window, granularity, limit }: Pick<CostQuestion, 'window' | 'granularity' | 'limit'>,
  field: 'limit' | 'per_page',
): void {
  const maxGroups = Math.floor((maxPoints * daysPerSpan[granularity]) / window.days);
  if (granularity !== 'total' && limit > maxGroups)
    throw invalid(
      field,
      `must be at most ${maxGroups} with a figure for each ${granularity} of ${window.days} days`,
    );
}

/** The day whose ownership rules apply. Undefined means that each day uses its own rules. */
export function readOwnersOn({ ownership }: OwnershipParameters, clock: Clock): Day | undefined {
  return ownership === 'today' ? dayOf(clock.now()) : undefined;
}

/** A number of days has no calendar, even if it begins on the first of a month. */
export function unitAsked({ from, to, week_start }: WindowParameters & WeekParameters, window: Window): Unit {
  return from === undefined && to === undefined ? 'day' : unitOf(window, week_start);
}

export type ChangeParameters = Omit<CostsParameters, 'metric' | 'granularity' | 'compare' | 'sort'> & {
  compare?: 'previous_period' | 'previous_year' | undefined;
  compared_from?: string | undefined;
  compared_to?: string | undefined;
};

export function readChangeQuestion(
  { compare, compared_from: from, compared_to: to, ...parameters }: ChangeParameters,
  ctx: { clock: Clock; plan: Plan },
): ChangeQuestion {
  readGroupBy(parameters.group_by, dimensionsOfJobs);
  const { window, unit, groupBy, filters, limit, ownersOn } = readQuestion(
    {
      ...parameters,
      metric: 'cost',
      granularity: 'total',
      compare: compare ?? 'previous_period',
      sort: '-change',
    },
    ctx,
  );
  if (from === undefined && to === undefined) {
    const previous = previousWindowOf({ window, unit, compare: compare ?? 'previous_period' })!;
    return { window, previousWindow: previous, groupBy, filters, limit, ownersOn };
  }
  if (compare !== undefined)
    throw invalid('compare', 'cannot be combined with `compared_from` and `compared_to`');
  if (from === undefined) throw invalid('compared_from', 'is required with `compared_to`');
  if (to === undefined) throw invalid('compared_to', 'is required with `compared_from`');
  const previous = readPreviousWindow({ from, to }, ctx);
  return { window, previousWindow: previous, groupBy, filters, limit, ownersOn };
}

/** Limited to today, and to twice the plan's history, so that the whole history can be compared. */
function readPreviousWindow(
  { from, to }: { from: string; to: string },
  { clock, plan }: { clock: Clock; plan: Plan },
): Window {
  const first = previousOf(planWindow(clock.now(), plan, historyDays[plan]), 'day').start;
  const today = dayOf(clock.now());
  if (from > to) throw invalid('compared_from', 'must not be after `compared_to`');
  if (from > today) throw invalid('compared_from', 'must not be in the future');
  if (to < first) {
    throw invalid('compared_to', `must not be before ${first}: your plan compares no days before that`);
  }
  return windowBetween(from < first ? first : from, to > today ? today : to);
}

export function readGroupBy(text: string, known: readonly DimensionName[] = dimensionNames): DimensionName[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()))].filter(Boolean);
  for (const name of names) {
    if (!(known as string[]).includes(name))
      throw invalid('group_by', `must be ${wrongDimension(name, known)}`);
  }
  if (names.length > maxGroupBy) throw invalid('group_by', 'must have at most two dimensions');
  return names as DimensionName[];
}

export type FilterParameters = { [Name in DimensionName]?: string[] | undefined };

export function readFilters(parameters: FilterParameters): { name: DimensionName; filter: Filter }[] {
  return dimensionNames.flatMap((name) => {
    const values = parameters[name];
    if (!values) return [];
    checkValues(name, values);
    return [{ name, filter: { dimension: dimensions[name], values } }];
  });
}

function wrongDimension(name: string, known: readonly DimensionName[]): string {
  const nearest = nearestOf(name, known);
  const meant = nearest ? `; did you mean ${nearest}?` : '';
  return `of ${known.join(', ')}; "${name}" is not one${meant}`;
}

const hours = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));
const knownValues: { [Name in DimensionName]?: readonly string[] } = {
  product: products,
  actor_kind: actorKinds,
  pull_request_state: pullRequestStates,
  conclusion: ['success', 'failure', 'cancelled', 'skipped'],
  visibility: ['public', 'private'],
  weekday: weekdays,
  hour: hours,
};

/** Rejects typos in values of fixed lists, which would otherwise just match nothing. */
function checkValues(name: DimensionName, values: readonly string[]): void {
  const known = knownValues[name];
  const isKnown = (value: string) =>
    value === '' || value.includes('*') || known?.includes(value) || isIdle(value);
  const wrong = known && values.find((value) => !isKnown(value.replace(/^!/, '').replace(/^=/, '')));
  if (wrong !== undefined) throw invalid(name, `must be of ${known!.join(', ')}; "${wrong}" is not one`);
}

/** Limited to the plan's history and to today. */
export function readWindow(
  { from, to, days }: WindowParameters,
  { clock, plan }: { clock: Clock; plan: Plan },
): Window {
  if (from === undefined && to === undefined) return planWindow(clock.now(), plan, days ?? defaultDays);
  if (days !== undefined) throw invalid('days', 'cannot be combined with `from` or `to`');
  const shown = planWindow(clock.now(), plan, historyDays[plan]);
  const today = dayOf(clock.now());
  const end = to === undefined || to > today ? today : to;
  const start = from ?? planWindow(new Date(`${end}T00:00:00Z`), plan, defaultDays).start;
  if (start > (to ?? today))
    throw invalid('from', `must not be after ${to === undefined ? 'today' : '`to`'}`);
  if (end < shown.start)
    throw invalid('to', `must not be before ${shown.start}, where your plan's history begins`);
  if (start > today) throw invalid('from', 'must not be in the future');
  return windowBetween(start < shown.start ? shown.start : start, end);
}

import {
  successRateOf,
  type WorkflowCosts,
  type WorkflowFigures,
  type WorkflowQuestion,
} from '../../ledger/costs/workflowCosts.ts';
import type { Plan } from '../../platform/lib/actor.ts';
import { csvLine, harmless } from '../../platform/lib/csv.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { rowsOf, type Page } from '../../platform/lib/lists.ts';
import { formatNanos, percentOf, usd, usdOrNull } from '../../platform/lib/money.ts';
import type { Clock } from '../../platform/lib/time.ts';
import { changePercent } from './costsView.ts';
import {
  checkPoints,
  readFilters,
  readOwnersOn,
  readWindow,
  unitAsked,
  type FilterParameters,
  type OwnershipParameters,
  type WeekParameters,
  type WindowParameters,
} from './readQuestion.ts';

export type WorkflowsParameters = WindowParameters &
  OwnershipParameters &
  FilterParameters &
  WeekParameters &
  Pick<WorkflowQuestion, 'metric' | 'granularity' | 'compare' | 'sort'> & {
    search?: string | undefined;
    status?: string | undefined;
    waste: boolean;
  };

/** If `page` is null, reads all workflows, without series. */
export function readWorkflows(
  parameters: WorkflowsParameters,
  page: Page | null,
  { clock, plan }: { clock: Clock; plan: Plan },
): WorkflowQuestion & { waste: boolean } {
  const { metric, compare, sort, waste, week_start: weekStart } = parameters;
  if (sort.endsWith('change') && compare === 'none')
    throw invalid('sort', 'must not be change without a comparison');
  if (sort.endsWith('waste') && !waste) throw invalid('sort', 'must not be waste without `waste=true`');
  if (waste && metric === 'net_cost') throw invalid('waste', 'is at list prices; ask for the metric cost');
  const window = readWindow(parameters, { clock, plan });
  const granularity = page ? parameters.granularity : 'total';
  const { limit, offset } = page ? rowsOf(page) : { limit: Infinity, offset: 0 };
  checkPoints({ granularity, window, limit }, 'per_page');
  return {
    window,
    unit: unitAsked(parameters, window),
    metric,
    compare,
    granularity,
    weekStart,
    sort,
    limit,
    offset,
    waste,
    filters: readFilters(parameters).map(({ filter }) => filter),
    ownersOn: readOwnersOn(parameters, clock),
    search: parameters.search || undefined,
    status: parameters.status,
  };
}

export function workflowsView(costs: WorkflowCosts) {
  const { total, rows, workflows } = costs;
  return {
    data: rows.map(({ workflowId, ...figures }) => ({
      workflow_id: workflowId,
      workflow_name: workflows.get(workflowId)?.name ?? workflowId,
      repo_name: workflows.get(workflowId)?.repository ?? '',
      share_percent: percentOf(figures.value, total.value),
      ...figuresView(figures),
    })),
    total: { workflows: total.workflows, ...figuresView(total) },
    period: costs.period,
    previous_period: costs.previousPeriod,
  };
}

function figuresView({ value, previous, series, runs, wasteNanos }: WorkflowFigures) {
  return {
    cost: usd(value),
    previous_cost: usdOrNull(previous),
    change_percent: changePercent(value, previous),
    series: series.map((point) => ({ start: point.start, cost: usd(point.value) })),
    runs: runs && runs.runs,
    success_rate: runs && successRateOf(runs),
    duration_p50_seconds: inSeconds(runs?.duration.p50),
    duration_p95_seconds: inSeconds(runs?.duration.p95),
    last_run_at: runs?.lastRunAt ?? null,
    last_run_conclusion: runs?.lastRunConclusion ?? null,
    waste_cost: usdOrNull(wasteNanos),
  };
}

function inSeconds(milliseconds: number | null | undefined): number | null {
  return milliseconds === null || milliseconds === undefined ? null : milliseconds / 1_000;
}

/** One line per workflow. An unknown value is an empty cell. */
export function workflowsCsv({ compare, waste }: AskedColumns, costs: WorkflowCosts): string {
  const { rows, total, workflows } = costs;
  const isCompared = compare !== 'none';
  const columns = [
    'workflow',
    'workflow_name',
    'repository',
    'cost_usd',
    ...(isCompared ? ['previous_cost_usd', 'change_usd'] : []),
    'share_percent',
    'runs',
    'success_rate',
    'duration_p50_seconds',
    'duration_p95_seconds',
    ...(waste ? ['waste_usd'] : []),
    'last_run_at',
  ];
  const lines = rows.map(({ workflowId, ...figures }) => {
    const { value, previous, wasteNanos } = figures;
    const { name = '', repository = '' } = workflows.get(workflowId) ?? {};
    const view = figuresView(figures);
    return [
      ...[workflowId, name, repository].map(harmless),
      formatNanos(value),
      ...(previous === null ? [] : [formatNanos(previous), formatNanos(value - previous)]),
      ...[percentOf(value, total.value), view.runs, view.success_rate].map(cell),
      ...[view.duration_p50_seconds, view.duration_p95_seconds].map(cell),
      ...(waste ? [wasteNanos === null ? '' : formatNanos(wasteNanos)] : []),
      view.last_run_at?.toISOString() ?? '',
    ];
  });
  return [columns, ...lines].map(csvLine).join('');
}

type AskedColumns = Pick<WorkflowQuestion, 'compare'> & { waste: boolean };

function cell(value: number | null): string {
  return String(value ?? '');
}

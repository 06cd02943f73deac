import type { Context } from '../../context.ts';
import { covering, type Window } from '../../platform/lib/days.ts';
import { findDeductions, type Deductions, type ReadTime } from '../pricing/netCost.ts';
import type { AnomalyRule } from './anomaly.ts';
import { billedAmounts } from './columns/billedDays.ts';
import type { RowKind } from './columns/dayColumns.queries.ts';
import type { ColumnContext } from './columns/readDays.ts';
import type { Grain, RunSum } from './columns/rollups.queries.ts';
import { amountsOf, type DayRows } from './columns/sumRows.ts';
import { withDays, type Days, type DaySelection } from './columns/withDays.ts';
import { figuresOf, type CostFigures, type Rows } from './costFigures.ts';
import {
  amountNames,
  dimensionsOf,
  namesProduct,
  type CostQuestion,
  type Dimension,
  type Metric,
} from './costQuestion.ts';
import type { WorkflowNames } from './filters.ts';
import { fullCostColumns, fullCosts, readPools, type FullDays } from './fullCost.ts';
import { netAmountsOf, netColumnsOf } from './netAmounts.ts';
import { hasJudgedDays, periodsOf, type Periods } from './periods.ts';
import { prepareTime, readTimeUsed } from './timeUsed.ts';

export type Costs = CostFigures & {
  period: Window;
  previousPeriod: Window | null;
  workflows: WorkflowNames;
  providers: CostContext['providers'];
  /** Null if no day is judged. */
  anomalyThresholdNanos: bigint | null;
};

export type CostContext = ColumnContext & Pick<Context, 'providers'>;

/**
 * Sums up the jobs or runs of the window that pass all filters, by up to two dimensions. With `judging`, it marks
 * anomalous days in series of costs.
 */
export async function getCosts(
  ctx: CostContext,
  question: CostQuestion,
  judging: AnomalyRule | null = null,
): Promise<Costs> {
  const [costs] = await getCostsTogether(ctx, [question], judging);
  return costs!;
}

/** Answers questions from one snapshot. All that name owners use the ownership rules of the same day. */
export async function getCostsTogether(
  ctx: CostContext,
  questions: readonly CostQuestion[],
  judging: AnomalyRule | null = null,
): Promise<Costs[]> {
  const plans = questions.map((question) => planOf(question, judging));
  const { rows, workflows } = await readRows(ctx, plans);
  const answers: Costs[] = [];
  for (const [place, question] of questions.entries()) {
    const { periods, rule } = plans[place]!;
    answers.push({
      period: question.window,
      previousPeriod: periods.previous,
      workflows,
      providers: ctx.providers,
      anomalyThresholdNanos: rule && rule.thresholdNanos,
      ...(await figuresOf(question, rows[place]!)),
    });
  }
  return answers;
}

type UnsortedQuestion = Omit<CostQuestion, 'sort' | 'limit'>;

type CostPlan = {
  question: UnsortedQuestion;
  periods: Periods;
  rowKind: RowKind;
  /** The coarsest rollup that answers the question; null if it asks for what only single jobs or runs have. */
  grain: Grain | null;
  /** Whether lines of the bill are further rows. */
  hasBill: boolean;
  /** Sums to read in addition to the metric. Only rollups have them. */
  runSums: readonly RunSum[];
  /** Null if no day is judged. */
  rule: AnomalyRule | null;
};

export function planOf(
  question: UnsortedQuestion,
  judging: AnomalyRule | null = null,
  runSums: readonly RunSum[] = [],
): CostPlan {
  const rule = judging && hasJudgedDays(question) ? judging : null;
  const dimensions = dimensionsOf(question);
  const known = ofRollups[question.metric];
  const isCoarse = known !== null && dimensions.every((dimension) => known.has(dimension));
  return {
    question,
    periods: periodsOf(question, rule !== null),
    rowKind: question.metric === 'runs' ? 'runs' : 'jobs',
    grain: isCoarse ? (dimensions.includes('workflowId') ? 'workflow' : 'day') : null,
    hasBill: namesProduct(question),
    runSums,
    rule,
  };
}

/** The dimensions that rollups have. */
const ofRuns: ReadonlySet<Dimension> = new Set(['product', 'day', 'weekday', 'workflowId']);
const ofJobs: ReadonlySet<Dimension> = new Set([...ofRuns, 'runner', 'provider']);
const ofRollups: Record<Metric, ReadonlySet<Dimension> | null> = {
  cost: ofJobs,
  minutes: ofJobs,
  jobs: ofJobs,
  runs: ofRuns,
  // What a runner's jobs cost net depends on the other jobs of their workflow.
  net_cost: ofRuns,
  // Labels say which pool a job used.
  full_cost: null,
};

/** The rows that each plan's question adds up, and what `more` reads in the same snapshot. */
export async function readRows<T = undefined>(
  ctx: CostContext,
  plans: readonly CostPlan[],
  more?: (days: Days, rows: readonly Rows[]) => Promise<T>,
): Promise<{ rows: Rows[]; workflows: WorkflowNames; more: T }> {
  const { actor, providers } = ctx;
  const selections = [...Map.groupBy(plans, kindOf).values()].map(selectionOf);
  const withNet = selections.filter(({ hasNet }) => hasNet).flatMap(({ windows }) => windows);
  if (withNet.length > 0) await prepareTime(ctx, actor.orgId, withNet);
  return withDays(ctx, selections, async (days) => {
    const read = new Map<string, DayRows[]>();
    const deductions: Deductions[] = [];
    const readTime: ReadTime = (of) => readTimeUsed(days.tx, { orgId: actor.orgId, providers }, of);
    const full = new Map<string, FullDays>();
    const withFull = selections.filter(({ hasFull }) => hasFull).flatMap(({ windows }) => windows);
    const poolsOn =
      withFull.length > 0 ? await readPools(days.tx, actor.orgId, covering(withFull)) : () => [];
    for (const selection of selections) {
      for (const window of selection.windows) {
        const key = `${kindOf(selection)} ${keyOf(window)}`;
        const rows = await days.read(selection, window);
        read.set(key, rows);
        if (selection.hasNet)
          deductions.push(await findDeductions({ db: days.tx, actor, providers }, window, readTime));
        if (selection.hasFull) full.set(key, await fullCosts(rows, window, poolsOn));
      }
    }
    const found = {
      workflows: days.workflows,
      daysIn: (plan: CostPlan, window: Window | null) => {
        if (!window) return [];
        const key = `${kindOf(plan)} ${keyOf(window)}`;
        const idle = plan.question.metric === 'full_cost' ? full.get(key)!.idle : [];
        return [...read.get(key)!, ...idle];
      },
      full: new Map([...full.values()].flatMap(({ amounts }) => [...amounts])),
      deductions: new Map(deductions.flatMap((each) => [...each])),
      providers,
    };
    const rows = plans.map((plan) => rowsOf(plan, found));
    return { rows, workflows: days.workflows, more: (await more?.(days, rows)) as T };
  });
}

function kindOf({ rowKind, grain, hasBill }: Pick<DaySelection, 'rowKind' | 'grain' | 'hasBill'>): string {
  return `${rowKind} ${grain} ${hasBill}`;
}

function keyOf({ start, end }: Window): string {
  return `${start} ${end}`;
}

/** Questions that the same kind of rows answers are read together. */
function selectionOf(plans: readonly CostPlan[]): DaySelection & { hasNet: boolean; hasFull: boolean } {
  const { rowKind, grain, hasBill } = plans[0]!;
  const windows = plans
    .flatMap(({ periods }) => [periods.current, periods.previous, periods.judging])
    .filter((window) => window !== null);
  return {
    rowKind,
    grain,
    hasBill,
    questions: plans.map(({ question }) => question),
    windows: [...new Map(windows.map((window) => [keyOf(window), window])).values()],
    columns: plans.flatMap(amountColumnsOf),
    hasNet: plans.some(({ question }) => question.metric === 'net_cost'),
    hasFull: plans.some(({ question }) => question.metric === 'full_cost'),
  };
}

function amountColumnsOf({ question: { metric }, grain, runSums }: CostPlan): DaySelection['columns'] {
  if (metric === 'net_cost') return netColumnsOf({ isSummed: grain !== null });
  if (metric === 'full_cost') return fullCostColumns;
  if (metric === 'runs') return runSums;
  const amount = amountNames[metric];
  return amount ? [amount] : [];
}

type FoundDays = Pick<CostContext, 'providers'> & {
  daysIn: (plan: CostPlan, window: Window | null) => DayRows[];
  workflows: WorkflowNames;
  deductions: Deductions;
  full: FullDays['amounts'];
};

function rowsOf(plan: CostPlan, { daysIn, workflows, deductions, full, providers }: FoundDays): Rows {
  const { question, periods, rule } = plan;
  const { current, previous, judging, spans, previousSpans, starts } = periods;
  return {
    days: [
      ...daysIn(plan, current).map((day) => ({ day, period: 'current' as const, span: spans.get(day.day)! })),
      ...daysIn(plan, previous).map((day) => ({
        day,
        period: 'previous' as const,
        span: previousSpans.get(day.day) ?? null,
      })),
    ],
    workflows,
    starts,
    compared: new Set(previousSpans.values()),
    amountsOf: (day) => {
      if (day.billed) return billedAmounts(day.billed, question.metric);
      if (question.metric === 'net_cost') return netAmountsOf(day, deductions, providers);
      // Idle rows have no other cost.
      if (question.metric === 'full_cost') return full.get(day) ?? amountsOf(day, 'costNanos');
      return amountsOf(day, amountNames[question.metric]);
    },
    judging: rule && { ...rule, days: daysIn(plan, judging) },
  };
}

export { findWorkflowNames } from './workflows.queries.ts';

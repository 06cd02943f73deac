import type { CostQuestion } from '../../ledger/costs/costQuestion.ts';
import { findUnusualDays, findUnusualRule } from '../../ledger/costs/unusualDays.ts';
import { csvLine, harmless } from '../../platform/lib/csv.ts';
import type { Day, Window } from '../../platform/lib/days.ts';
import { compare as inOrder } from '../../platform/lib/lists.ts';
import { formatNanos, usd, type Nanos } from '../../platform/lib/money.ts';
import { unitAsked } from '../explore/readQuestion.ts';
import type { getWastefulRuns, Trend } from './daily.ts';
import { findDecisions, type DecisionRow } from './decisions.queries.ts';
import { findUnneeded, type Evidence } from './findUnneeded.ts';
import { fixesOf, monthlySaving, statuses, type Fix, type Status } from './fixes.ts';
import {
  getWaste,
  getPreviousWaste,
  wasteWindow,
  type AskedWaste,
  type Waste,
  type WasteContext,
} from './getWaste.ts';
import { categories, sumOf, type Split } from './jobGroups.ts';
import {
  outcomeText,
  pastSavings,
  savedPerMonth,
  savedPerWeek,
  type Compared,
  type Outcome,
} from './outcome.ts';
import { findWorkflows } from './queries.ts';
import type { FixKind } from './suggest.ts';
import { minutes, suggestionView, totalsView } from './views.ts';

export type Fixes = { waste: Waste; previous: Waste | null; fixes: Fix[] };

type AskedFixes = AskedWaste & { category?: FixKind | undefined } & Partial<
    Pick<CostQuestion, 'compare' | 'weekStart'>
  >;

export async function listFixes(
  ctx: WasteContext,
  { category, compare = 'none', weekStart, ...asked }: AskedFixes,
): Promise<Fixes> {
  const names = await findWorkflows(ctx.db, ctx.actor.orgId, asked);
  const judged = { window: wasteWindow(ctx, asked), rule: await findUnusualRule(ctx) };
  const ids = names.map(({ id }) => id);
  const unusual = await findUnusualDays(ctx.db, ctx.actor.orgId, ids, judged);
  const waste = await getWaste(ctx, { ...asked, unusual });
  const window = waste.period;
  const unit = unitAsked({ ...asked, week_start: weekStart }, window);
  const previous = await getPreviousWaste(ctx, { ...asked, window, unit, compare });
  const decisions = await findDecisions(ctx.db, ctx.actor.orgId);
  const unneeded = await findUnneeded(ctx, { window, names, filter: asked, unusual });
  const fixes = fixesOf({ waste, unneeded }, decisions, names);
  return {
    waste,
    previous,
    fixes: fixes.filter((fix) => category === undefined || fix.category === category),
  };
}

export type Saving = { workflow: string; repository: string; text: string; savingNanos: Nanos };

/** The open fix that would have saved most in the period, among these workflows or all if null. */
export async function findBiggestSaving(
  ctx: WasteContext,
  { start, end }: Pick<Window, 'start' | 'end'>,
  workflowIds: ReadonlySet<string> | null,
): Promise<Saving | null> {
  const { fixes } = await listFixes(ctx, {
    days: 1,
    from: start,
    to: end,
    workflowId: undefined,
    repo: undefined,
  });
  const [best] = fixes
    .filter(({ status, workflow }) => status === 'open' && (workflowIds?.has(workflow.id) ?? true))
    .toSorted((a, b) => inOrder(b.savingNanos, a.savingNanos));
  if (!best || best.savingNanos === 0n) return null;
  const { name, repository } = best.workflow;
  return { workflow: name, repository, text: best.suggestions[0]!.text, savingNanos: best.savingNanos };
}

export function fixesView(
  { waste, previous, fixes }: Fixes,
  shown: readonly Fix[],
  outcomes: Map<string, Outcome>,
) {
  const count = (wanted: Status) => fixes.filter(({ status }) => status === wanted).length;
  return {
    ...totalsView(waste),
    previous: previous && previousView(previous),
    saving_per_month: usd(monthlySaving(fixes)),
    left_out_days: leftOutDays(fixes),
    past_savings: pastSavingsView(pastSavings(outcomes)),
    counts: Object.fromEntries(statuses.map((status) => [status, count(status)])) as Record<Status, number>,
    fixes: shown.map((fix) => ({
      id: fix.id,
      workflow_id: fix.workflow.id,
      workflow: fix.workflow.name,
      repository: fix.workflow.repository,
      category: fix.category,
      status: fix.status,
      cost: usd(fix.costNanos),
      saving: usd(fix.savingNanos),
      saving_per_month: usd(fix.monthlyNanos),
      left_out_days: [...fix.leftOutDays],
      suggestions: fix.suggestions.map(suggestionView),
      evidence: fix.evidence && evidenceView(fix.evidence),
      decision: fix.decision && decisionView(fix.decision),
      outcome: outcomeView(outcomes.get(fix.id)),
    })),
  };
}

function evidenceView({ runs, ofRuns, events, every, twin, pullRequests, newest }: Evidence) {
  return {
    runs,
    of_runs: ofRuns,
    events: [...events],
    every,
    duplicate_of: twin && { workflow_id: twin.id, workflow: twin.name },
    pull_requests: pullRequests,
    newest: newest.map(({ id, runNumber, pullRequest, branch, conclusion, createdAt, costNanos }) => ({
      id,
      number: runNumber,
      pull_request: pullRequest,
      branch,
      conclusion,
      created_at: createdAt,
      cost: usd(costNanos),
    })),
  };
}

function pastSavingsView(past: ReturnType<typeof pastSavings>) {
  if (!past) return null;
  const { fixes, promisedNanos, savedNanos } = past;
  return { fixes, promised_per_month: usd(promisedNanos), saved_per_month: usd(savedNanos) };
}

function leftOutDays(fixes: readonly Fix[]): Day[] {
  const leftOut = fixes
    .filter(({ status, savingNanos }) => status === 'open' && savingNanos > 0n)
    .flatMap((fix) => fix.leftOutDays);
  return [...new Set(leftOut)].toSorted();
}

function previousView({ period, split }: Waste) {
  return {
    period,
    total_cost: usd(sumOf(split, 'all').costNanos),
    waste_cost: usd(sumOf(split, 'waste').costNanos),
    categories: costsOf(split),
  };
}

function costsOf(split: Split) {
  return categories.map((category) => ({ category, cost: usd(split[category].costNanos) }));
}

export function decisionView({ status, reason, author, decidedAt }: DecisionRow) {
  return { status, reason, author, decided_at: decidedAt };
}

function outcomeView(found: Outcome | undefined) {
  if (!found) return null;
  const { promisedNanos, ...outcome } = found;
  const common = {
    state: outcome.state,
    sentence: outcomeText(found),
    promised_per_month: promisedNanos === null ? null : usd(promisedNanos),
  };
  const unknown = { weeks: null, before: null, since: null, saved_per_week: null, saved_per_month: null };
  if (outcome.state !== 'compared')
    return { ...common, known_on: outcome.state === 'too_early' ? outcome.knownOn : null, ...unknown };
  const { before, since, comparison } = outcome;
  const spanOf = (
    { start, end }: { start: string; end: string },
    { costNanos, workflowNanos }: Compared,
  ) => ({
    start,
    end,
    cost: usd(costNanos),
    workflow_cost: usd(workflowNanos),
  });
  return {
    ...common,
    known_on: null,
    weeks: comparison.weeks,
    before: spanOf(comparison.before, before),
    since: spanOf(comparison.since, since),
    saved_per_week: usd(savedPerWeek(outcome)),
    saved_per_month: usd(savedPerMonth(outcome)),
  };
}

export function fixesCsv(fixes: readonly Fix[]): string {
  const columns = [
    'fix',
    'status',
    'repository',
    'workflow',
    'category',
    'saving_per_month_usd',
    'saving_usd',
    'category_cost_usd',
    'what_to_change',
    'reason',
    'decided_by',
    'decided_at',
  ];
  const lines = fixes.map(({ id, status, workflow, category, suggestions, decision, ...amounts }) => [
    id,
    status,
    harmless(workflow.repository),
    harmless(workflow.name),
    category,
    ...[amounts.monthlyNanos, amounts.savingNanos, amounts.costNanos].map(formatNanos),
    harmless(suggestions.map(({ text }) => text).join(' ')),
    ...[decision?.reason ?? '', decision?.author ?? ''].map(harmless),
    decision?.decidedAt.toISOString() ?? '',
  ]);
  return [columns, ...lines].map(csvLine).join('');
}

export function trendView({ period, weeks }: Trend) {
  return {
    period,
    weeks: weeks.map(({ window: { start, end }, split, previous }) => ({
      start,
      end,
      cost: usd(sumOf(split, 'all').costNanos),
      waste_cost: usd(sumOf(split, 'waste').costNanos),
      // Weeks before the first run have nothing to compare with.
      previous_waste_cost:
        previous && sumOf(previous, 'all').jobs > 0n ? usd(sumOf(previous, 'waste').costNanos) : null,
      categories: costsOf(split),
    })),
  };
}

export function runsView({ period, runs }: Awaited<ReturnType<typeof getWastefulRuns>>) {
  return {
    period,
    runs: runs.map(({ id, runNumber, branch, conclusion, createdAt, amounts }) => ({
      id,
      number: runNumber,
      branch,
      conclusion,
      created_at: createdAt,
      cost: usd(amounts.costNanos),
      minutes: minutes(amounts.ms),
      jobs: Number(amounts.jobs),
      waited_minutes: minutes(amounts.waitedMs),
    })),
  };
}

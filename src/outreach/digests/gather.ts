import type { Logger } from 'pino';
import type { Context } from '../../context.ts';
import type { AnomalyRule } from '../../ledger/costs/anomaly.ts';
import { getChange, type ChangeQuestion, type CostChange } from '../../ledger/costs/change.ts';
import { projectMonth } from '../../ledger/costs/projection.ts';
import { createScopeReader, type CostHistory } from '../../ledger/costs/scopes.ts';
import { findUnusualRule } from '../../ledger/costs/unusualDays.ts';
import { inSnapshot } from '../../platform/db/database.ts';
import type { Plan } from '../../platform/lib/actor.ts';
import { addDays, dayOf, daysOf, startOfDay, type Window } from '../../platform/lib/days.ts';
import { compare } from '../../platform/lib/lists.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { isDemo, type Organization } from '../../tenancy/organizations/organizations.ts';
import { listAlerts, type Alert } from '../alerts/alerts.ts';
import { describedOf, isByPeriod, isKnown, measure, otherMeasureOf, ruleOf } from '../alerts/alertTypes.ts';
import { costScopeOf, forecastDays, prepareCosts, readCosts, type Watched } from '../alerts/readCosts.ts';
import type { MeasuredHistory } from '../alerts/rules/rule.ts';
import { isSameScope, scopeName, type Scope } from '../alerts/scope.ts';
import type { ClosedMonth, DigestFigures } from './content.ts';
import { scopeOf, type Part } from './part.ts';
import type { Frequency, Slot } from './slots.ts';

/** Injected by `app.ts`, because this wing must not depend on `insight`. */
export type DigestSources = {
  /** Why the cost changed, in a sentence; empty if nothing explains it. */
  causeOf: (question: ChangeQuestion, change: CostChange) => Promise<string>;
  findBiggestSaving: (
    ctx: FiguresContext & { plan: Plan },
    window: Window,
    workflowIds: ReadonlySet<string> | null,
  ) => Promise<DigestFigures['saving']>;
  closeMonth: (ctx: FiguresContext & { plan: Plan }, month: string) => Promise<ClosedMonth>;
};

export type FiguresContext = Pick<
  Context,
  'db' | 'actor' | 'clock' | 'providers' | 'findUnusualThreshold'
> & {
  log: Pick<Logger, 'warn'>;
};

type Asked = Part & { organization: Organization; frequency: Frequency; slot: Slot };

const maxRisers = 3;

export async function gatherFigures(
  ctx: FiguresContext & { digestSources: DigestSources },
  { organization, frequency, team, actorKind, slot }: Asked,
): Promise<DigestFigures> {
  const { orgId, plan } = organization;
  const { period, previous } = slot;
  const now = ctx.clock.now();
  const scope = scopeOf({ team, actorKind });
  const budgets = await findBudgets(ctx, scope);
  const total: Watched = { scope, measure: 'list_cost' };
  const watched = [total, ...budgets];
  const span = { now, days: forecastDays };
  const scopes = watched.map((each) => each.scope);
  await prepareCosts(ctx, orgId, scopes, span);
  const sum = await inSnapshot(ctx.db, (tx) =>
    readCosts(createScopeReader(tx, orgId, ctx.providers), watched, span),
  );
  const historyOf = await sum();
  const history = historyOf(total);
  const question = changeQuestion(scope, slot);
  const unusualRule = await findUnusualRule(ctx);
  const change = await getChange(ctx, question, unusualRule);
  const hasPrevious = history.firstDay !== null && history.firstDay <= previous.end;
  const ofPart = new Set(change.groups.map(({ values }) => values[0]!));
  const workflowIds = scope.type === 'organization' ? null : ofPart;
  return {
    frequency,
    organization: shownOf(organization),
    team,
    actorKind,
    period: { start: period.start, end: period.end },
    previousPeriod: { start: previous.start, end: previous.end },
    totalNanos: costWithin(history, period),
    previousNanos: hasPrevious ? costWithin(history, previous) : null,
    daily: dailyOf(history, slot, hasPrevious),
    forecast: forecastOf(now, { ...history, unusualRule }),
    budgets: budgets.map((budget) => budgetAt(budget, historyOf(budget), period)).toSorted(byFraction),
    risers: hasPrevious ? await findRisers(ctx, question, change) : [],
    saving: await ctx.digestSources.findBiggestSaving({ ...ctx, plan }, period, workflowIds),
  };
}

export function shownOf(organization: Organization): string {
  return isDemo(organization) ? organization.name : (organization.login ?? organization.name);
}

/** The part's own budgets, or all for the organization. None without the right to read alerts. */
async function findBudgets(ctx: FiguresContext, scope: Scope): Promise<Alert[]> {
  if (!ctx.actor.scopes.includes('alerts:read')) return [];
  const alerts = await listAlerts(ctx);
  return alerts.filter(
    (alert) =>
      alert.enabled &&
      isKnown(alert) &&
      isByPeriod(alert) &&
      (scope.type === 'organization' || isSameScope(alert.scope, scope)),
  );
}

function budgetAt(alert: Alert, history: MeasuredHistory, { end }: Window): DigestFigures['budgets'][number] {
  const described = describedOf(alert);
  const { observedNanos, window } = measure(ruleOf(alert), history, startOfDay(addDays(end, 1)), 'scheduled');
  return {
    name: alert.name,
    scope: scopeName(alert.scope),
    period: { start: window.start, end: window.end },
    spentNanos: observedNanos,
    amountNanos: alert.thresholdNanos,
    unit: described.observed_unit,
    what: otherMeasureOf(alert)?.title.toLowerCase() ?? null,
    overState: described.over_state,
  };
}

function byFraction(a: DigestFigures['budgets'][number], b: DigestFigures['budgets'][number]): number {
  return compare(b.spentNanos * a.amountNanos, a.spentNanos * b.amountNanos);
}

function costWithin({ costs }: CostHistory, window: Window): Nanos {
  return daysOf(window).reduce((sum, day) => sum + (costs.get(day) ?? 0n), 0n);
}

function dailyOf({ costs }: CostHistory, { period, previous }: Slot, hasPrevious: boolean) {
  const previousDays = hasPrevious ? daysOf(previous) : [];
  return daysOf(period).map((day, index) => ({
    day,
    costNanos: costs.get(day) ?? 0n,
    previousNanos: previousDays[index] === undefined ? null : (costs.get(previousDays[index]) ?? 0n),
  }));
}

function forecastOf(
  now: Date,
  history: CostHistory & { unusualRule: AnomalyRule },
): DigestFigures['forecast'] {
  const { roundedNanos, projectedNanos, band, leftOutDays } = projectMonth(now, history);
  if (projectedNanos === 0n) return null;
  return {
    month: dayOf(now).slice(0, 7),
    projectedNanos: roundedNanos,
    lowNanos: band?.lowNanos ?? null,
    highNanos: band?.highNanos ?? null,
    leftOutDays,
  };
}

/** More than enough to find the workflows that rose, and those of a part. */
const maxWorkflows = 10_000;

function changeQuestion(scope: Scope, { period, previous }: Slot): ChangeQuestion {
  return {
    window: period,
    previousWindow: previous,
    groupBy: ['workflowId'],
    ownersOn: undefined,
    filters: costScopeOf(scope),
    limit: maxWorkflows,
  };
}

async function findRisers(
  ctx: FiguresContext & { digestSources: DigestSources },
  question: ChangeQuestion,
  { groups, workflows }: CostChange,
): Promise<DigestFigures['risers']> {
  const rising = groups
    .filter(({ changeNanos }) => changeNanos > 0n)
    .toSorted((a, b) => compare(b.changeNanos, a.changeNanos))
    .slice(0, maxRisers);
  const risers: DigestFigures['risers'] = [];
  for (const { values, status, costNanos, changeNanos } of rising) {
    const id = values[0]!;
    const { name, repository } = workflows.get(id)!;
    const said = status === 'new' || status === 'returned' ? firstCauses[status] : null;
    const cause = said ?? (await causeOf(ctx, question, id));
    risers.push({ workflow: name, repository, costNanos, changeNanos, cause });
  }
  return risers;
}

const firstCauses = {
  new: 'New: it had no jobs before.',
  returned: 'It ran again: it had no jobs in the period before.',
};

async function causeOf(
  ctx: FiguresContext & { digestSources: DigestSources },
  { filters, ...question }: ChangeQuestion,
  workflowId: string,
): Promise<string> {
  const asked: ChangeQuestion = {
    ...question,
    groupBy: ['job'],
    filters: [...filters, { dimension: 'workflowId', values: [`=${workflowId}`] }],
    limit: 1,
  };
  return ctx.digestSources.causeOf(asked, await getChange(ctx, asked, await findUnusualRule(ctx)));
}

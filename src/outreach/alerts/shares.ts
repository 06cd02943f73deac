import { isDeepStrictEqual } from 'node:util';
import { recordEvent } from '../../events/outbox.ts';
import { findRepriced } from '../../ledger/repricing/reprices.ts';
import { inSnapshot, type Transaction } from '../../platform/db/database.ts';
import { startOfDay, type Day } from '../../platform/lib/days.ts';
import { usd, type Nanos } from '../../platform/lib/money.ts';
import { oneByOne } from '../../platform/work/worker.ts';
import {
  getCostsVersion,
  getOrganization,
  lockChangedCosts,
  lockOrganization,
  saveCostsChecked,
  type Organization,
} from '../../tenancy/organizations/organizations.ts';
import type { NotificationProgram } from '../notifications/context.ts';
import { measure, ruleOf } from './alertTypes.ts';
import { slowTypes } from './costScopes.ts';
import {
  findBudgets,
  findFreeBudgets,
  findBudgetsBehind,
  findChangedCosts,
  markSharesChecked,
  saveAnnounced,
  type AlertRow,
  type Announced,
} from './queries.ts';
import { prepareCosts, readCosts, sharesDays } from './readCosts.ts';
import type { MeasuredHistory } from './rules/rule.ts';
import { scopeTypes, type Scope } from './scope.ts';
import { isSnoozed } from './triggers.ts';

const shares = [50, 75, 90, 100] as const;
type Share = (typeof shares)[number];

/**
 * Announces crossed shares of budgets whose costs have changed, unless a reprice is running. A failure in one
 * organization does not affect others and is thrown at the end. Returns whether any costs had changed.
 */
export async function announceShares(program: NotificationProgram): Promise<boolean> {
  const repriced = await findRepriced(program.db);
  const changed = (await findChangedCosts(program.db)).filter((orgId) => !repriced.has(orgId));
  await oneByOne(changed, (orgId) => announceChanged(program, orgId), {
    nameOf: (orgId) => ['budgets', orgId],
    message: 'could not announce shares of budgets',
  });
  return changed.length > 0;
}

/** Holds the organization's cost lock, as recording does, so that each share is announced once. */
async function announceChanged(
  { db, clock, subscribers }: NotificationProgram,
  orgId: string,
): Promise<void> {
  const now = clock.now();
  await db.transaction().execute(async (tx) => {
    const changed = await lockChangedCosts(tx, orgId);
    // A reprice may have started since. With the lock, none can start now.
    if (!changed || (await findRepriced(tx)).has(orgId)) return;
    const budgets = await findBudgets(tx, orgId, quickTypes);
    const sum = await readCosts(tx, orgId, scopesOf(budgets), { now, days: sharesDays });
    await announceSharesOf(tx, { budgets, historyOf: await sum(), organization: changed, now, subscribers });
    await saveCostsChecked(tx, changed);
  });
}

const quickTypes = scopeTypes.filter((type) => !slowTypes.includes(type));

/**
 * Does the same for budgets whose costs are slow to read, such as those of a branch. Call it less often. A
 * failure in one organization does not affect others and is thrown at the end.
 */
export async function announceSlowShares(program: NotificationProgram): Promise<void> {
  const repriced = await findRepriced(program.db);
  const behind = (await findBudgetsBehind(program.db, slowTypes)).filter((orgId) => !repriced.has(orgId));
  await oneByOne(behind, (orgId) => announceSlow(program, orgId), {
    nameOf: (orgId) => ['budgets of branches', orgId],
    message: 'could not announce shares of budgets of branches',
  });
}

/**
 * Takes the organization's cost lock only to announce, because recording waits for it. Costs can change
 * before that, and in a busy organization always do; they are checked the next time.
 */
async function announceSlow(program: NotificationProgram, orgId: string): Promise<void> {
  const { db, clock, subscribers } = program;
  const now = clock.now();
  const scopes = slowTypes.map((type) => ({ type }));
  await prepareCosts(program, orgId, scopes, { now, days: sharesDays });
  const read = await inSnapshot(db, async (tx) => {
    if ((await findRepriced(tx)).has(orgId)) return null;
    const costsVersion = await getCostsVersion(tx, orgId);
    const budgets = await findBudgets(tx, orgId, slowTypes);
    const sum = await readCosts(tx, orgId, scopesOf(budgets), { now, days: sharesDays });
    return { costsVersion, budgets, sum };
  });
  if (!read) return;
  const historyOf = await read.sum();
  await db.transaction().execute(async (tx) => {
    await lockOrganization(tx, orgId);
    if ((await findRepriced(tx)).has(orgId)) return;
    // A budget that was changed or checked since then may have other shares to announce.
    const before = new Map(read.budgets.map((budget) => [budget.id, budget]));
    const free = await findFreeBudgets(tx, orgId, slowTypes);
    const budgets = free.filter((budget) => isDeepStrictEqual(budget, before.get(budget.id)));
    if (budgets.length === 0) return;
    const organization = await getOrganization({ db: tx, actor: { orgId } });
    await announceSharesOf(tx, { budgets, historyOf, organization, now, subscribers });
    const ids = budgets.map(({ id }) => id);
    await markSharesChecked(tx, orgId, { ids, costsVersion: read.costsVersion });
  });
}

function scopesOf(budgets: readonly AlertRow[]): Scope[] {
  return budgets.map(({ scope }) => scope);
}

type Announcing = Pick<NotificationProgram, 'subscribers'> & {
  budgets: readonly AlertRow[];
  historyOf: (scope: Scope) => MeasuredHistory;
  organization: Pick<Organization, 'orgId' | 'login' | 'name'>;
  now: Date;
};

async function announceSharesOf(
  tx: Transaction,
  { budgets, historyOf, organization, now, subscribers }: Announcing,
): Promise<void> {
  const { orgId, login, name } = organization;
  for (const budget of budgets) {
    const { since, crossed, announced } = findCrossedShares(budget, historyOf(budget.scope), now);
    for (const { percentage, spendNanos } of crossed) {
      await recordEvent(tx, { orgId, now, subscribers }, 'cost.threshold', {
        threshold: { percentage, budget: usd(budget.thresholdNanos), current_spend: usd(spendNanos) },
        scope: { ...budget.scope, org: login ?? name },
        alert_id: budget.id,
        ...(isSnoozed(budget, now) ? { snoozed: true } : {}),
      });
    }
    if (!isDeepStrictEqual(announced, announcedOf(budget)))
      await saveAnnounced(tx, budget, { since, announced });
  }
}

/**
 * Marks the shares that a new or changed budget has already reached, so that only later ones are announced.
 * The caller holds the cost lock.
 */
export async function skipReachedShares(tx: Transaction, budget: AlertRow, now: Date): Promise<void> {
  if (budget.alertType !== 'budget' || !budget.enabled) return;
  const sum = await readCosts(tx, budget.orgId, [budget.scope], { now, days: sharesDays });
  const historyOf = await sum();
  const { since, announced } = findCrossedShares(budget, historyOf(budget.scope), now);
  await saveAnnounced(tx, budget, { since, announced });
}

/**
 * The shares crossed in the current period and, if the budget already existed, in the previous one, whose
 * costs can arrive late.
 */
function findCrossedShares(budget: AlertRow, history: MeasuredHistory, now: Date) {
  const rule = ruleOf(budget);
  const current = measure(rule, history, now, 'on_demand');
  const previous = measure(rule, history, startOfDay(current.window.start), 'scheduled');
  const wasThere = budget.announcedSince !== null && budget.announcedSince <= previous.window.start;
  const periods = wasThere ? [previous, current] : [current];
  const since = periods[0]!.window.start;
  let announced = announcedOf(budget).filter(({ periodStart }) => periodStart >= since);
  const crossed = periods.flatMap(({ observedNanos, window }) => {
    const result = crossShares(budget.thresholdNanos, observedNanos, announced, window.start);
    announced = result.next;
    return result.crossed.map((percentage) => ({ percentage, spendNanos: observedNanos }));
  });
  return { since, crossed, announced };
}

export function crossShares(
  budgetNanos: Nanos,
  spendNanos: Nanos,
  announced: readonly Announced[],
  periodStart: Day,
): { crossed: Share[]; next: Announced[] } {
  const ofAmount = announced.find(
    (entry) => entry.periodStart === periodStart && entry.budgetNanos === budgetNanos,
  );
  const known = ofAmount?.percentages ?? [];
  const reached = shares.filter((share) => spendNanos * 100n >= BigInt(share) * budgetNanos);
  const crossed = reached.filter((share) => !known.includes(share));
  const percentages = [...known, ...crossed].toSorted((a, b) => a - b);
  const others = announced.filter((entry) => entry !== ofAmount);
  return { crossed, next: [...others, { periodStart, budgetNanos, percentages }] };
}

function announcedOf({ announced }: AlertRow): Announced[] {
  const entries = announced as (Omit<Announced, 'budgetNanos'> & { budgetNanos: string })[];
  return entries.map((entry) => ({ ...entry, budgetNanos: BigInt(entry.budgetNanos) }));
}

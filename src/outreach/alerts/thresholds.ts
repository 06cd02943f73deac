import { isDeepStrictEqual } from 'node:util';
import { recordEvent } from '../../events/outbox.ts';
import { createScopeReader } from '../../ledger/costs/scopes.ts';
import { isRepriced } from '../../ledger/repricing/reprices.ts';
import { inSnapshot, type Database, type Transaction } from '../../platform/db/database.ts';
import { usd } from '../../platform/lib/money.ts';
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
import { isByPeriod } from './alertTypes.ts';
import { announcedOf, findCrossedThresholds } from './crossThresholds.ts';
import {
  changeAlert,
  findBudgets,
  findFreeBudgets,
  findBudgetsBehind,
  findChangedCosts,
  markThresholdsChecked,
  saveAnnounced,
  type AlertRow,
} from './queries.ts';
import { prepareCosts, readCosts, thresholdDays, slowTypes, type Watched } from './readCosts.ts';
import type { MeasuredHistory } from './rules/rule.ts';
import { scopeTypes } from './scope.ts';
import { isSnoozed } from './triggers.ts';

/**
 * Announces crossed thresholds of budgets whose costs have changed, unless a reprice is running. A failure in one
 * organization does not affect others and is thrown at the end. Returns whether any costs had changed.
 */
export async function announceThresholds(program: NotificationProgram): Promise<boolean> {
  const changed = await withoutRepriced(program.db, await findChangedCosts(program.db));
  await oneByOne(changed, (orgId) => announceChanged(program, orgId), {
    nameOf: (orgId) => ['budgets', orgId],
    message: 'could not announce thresholds of budgets',
  });
  return changed.length > 0;
}

async function withoutRepriced(db: Database, orgIds: readonly string[]): Promise<string[]> {
  const left: string[] = [];
  for (const orgId of orgIds) if (!(await isRepriced(db, orgId))) left.push(orgId);
  return left;
}

/** Holds the organization's cost lock, as recording does, so that each threshold is announced once. */
async function announceChanged(program: NotificationProgram, orgId: string): Promise<void> {
  const { db, clock, subscribers, providers } = program;
  const now = clock.now();
  await prepareCosts(program, orgId, [], { now, days: thresholdDays });
  await db.transaction().execute(async (tx) => {
    const changed = await lockChangedCosts(tx, orgId);
    // A reprice may have started since. With the lock, none can start now.
    if (!changed || (await isRepriced(tx, orgId))) return;
    const budgets = await findBudgets(tx, orgId, quickTypes);
    const sum = await readCosts(createScopeReader(tx, orgId, providers), budgets, {
      now,
      days: thresholdDays,
    });
    await announceThresholdsOf(tx, {
      budgets,
      historyOf: await sum(),
      organization: changed,
      now,
      subscribers,
    });
    await saveCostsChecked(tx, changed);
  });
}

const quickTypes = scopeTypes.filter((type) => !slowTypes.includes(type));

/**
 * Does the same for budgets whose costs are slow to read, such as those of a branch. Call it less often. A
 * failure in one organization does not affect others and is thrown at the end.
 */
export async function announceSlowThresholds(program: NotificationProgram): Promise<void> {
  const behind = await withoutRepriced(program.db, await findBudgetsBehind(program.db, slowTypes));
  await oneByOne(behind, (orgId) => announceSlow(program, orgId), {
    nameOf: (orgId) => ['budgets of branches', orgId],
    message: 'could not announce thresholds of budgets of branches',
  });
}

/**
 * Takes the organization's cost lock only to announce, because recording waits for it. Costs can change
 * before that, and in a busy organization always do; they are checked the next time.
 */
async function announceSlow(program: NotificationProgram, orgId: string): Promise<void> {
  const { db, clock, subscribers, providers } = program;
  const now = clock.now();
  const scopes = slowTypes.map((type) => ({ type }));
  await prepareCosts(program, orgId, scopes, { now, days: thresholdDays });
  const read = await inSnapshot(db, async (tx) => {
    if (await isRepriced(tx, orgId)) return null;
    const costsVersion = await getCostsVersion(tx, orgId);
    const budgets = await findBudgets(tx, orgId, slowTypes);
    const sum = await readCosts(createScopeReader(tx, orgId, providers), budgets, {
      now,
      days: thresholdDays,
    });
    return { costsVersion, budgets, sum };
  });
  if (!read) return;
  const historyOf = await read.sum();
  await db.transaction().execute(async (tx) => {
    await lockOrganization(tx, orgId);
    if (await isRepriced(tx, orgId)) return;
    // A budget that was changed or checked since then may have other thresholds to announce.
    const before = new Map(read.budgets.map((budget) => [budget.id, budget]));
    const free = await findFreeBudgets(tx, orgId, slowTypes);
    const budgets = free.filter((budget) => isDeepStrictEqual(budget, before.get(budget.id)));
    if (budgets.length === 0) return;
    const organization = await getOrganization({ db: tx, actor: { orgId } });
    await announceThresholdsOf(tx, { budgets, historyOf, organization, now, subscribers });
    const ids = budgets.map(({ id }) => id);
    await markThresholdsChecked(tx, orgId, { ids, costsVersion: read.costsVersion });
  });
}

type Announcing = Pick<NotificationProgram, 'subscribers'> & {
  historyOf: (watched: Watched) => MeasuredHistory;
  organization: Pick<Organization, 'orgId' | 'login' | 'name'>;
  now: Date;
};

async function announceThresholdsOf(
  tx: Transaction,
  { budgets, ...announcing }: Announcing & { budgets: readonly AlertRow[] },
): Promise<void> {
  for (const budget of budgets) await announceThresholdsOfOne(tx, budget, announcing);
}

/** `isChanged` means that the budget had another amount when its thresholds were last checked. */
async function announceThresholdsOfOne(
  tx: Transaction,
  budget: AlertRow,
  { historyOf, organization, now, subscribers, isChanged = false }: Announcing & { isChanged?: boolean },
): Promise<AlertRow> {
  const { orgId, login, name } = organization;
  const isNew = isChanged || budget.announcedSince === null;
  const found = findCrossedThresholds(budget, historyOf(budget), { now, isNew });
  for (const { percentage, spendNanos } of found.crossed) {
    await recordEvent(tx, { orgId, now, subscribers }, 'cost.threshold', {
      threshold: {
        percentage,
        budget: usd(budget.thresholdNanos),
        current_spend: usd(spendNanos),
        ...(isNew ? { reached_before: true } : {}),
      },
      measure: budget.measure,
      scope: { ...budget.scope, org: login ?? name },
      alert_id: budget.id,
      ...(isSnoozed(budget, now) ? { snoozed: true } : {}),
    });
  }
  const { since, announced } = found;
  const isSame = since === budget.announcedSince && isDeepStrictEqual(announced, announcedOf(budget));
  return isSame ? budget : saveAnnounced(tx, budget, { since, announced });
}

/**
 * Announces the thresholds that a budget had already reached when it was created, changed or turned on. During a
 * reprice, costs cannot be compared, so `announceThresholds` does it afterwards. The caller holds the cost lock.
 */
export async function announceReached(
  tx: Transaction,
  { clock, subscribers, providers }: Pick<NotificationProgram, 'clock' | 'subscribers' | 'providers'>,
  budget: AlertRow,
): Promise<AlertRow> {
  const { orgId } = budget;
  if (!isByPeriod(budget) || !budget.enabled) return budget;
  if (await isRepriced(tx, orgId)) return changeAlert(tx, budget, { announcedSince: null });
  const now = clock.now();
  const sum = await readCosts(createScopeReader(tx, orgId, providers), [budget], {
    now,
    days: thresholdDays,
  });
  const organization = await getOrganization({ db: tx, actor: { orgId } });
  const historyOf = await sum();
  return announceThresholdsOfOne(tx, budget, { historyOf, organization, now, subscribers, isChanged: true });
}

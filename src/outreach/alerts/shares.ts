import { isDeepStrictEqual } from 'node:util';
import { recordEvent } from '../../events/outbox.ts';
import { findRepriced } from '../../ledger/repricing/reprices.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { startOfDay, type Day } from '../../platform/lib/days.ts';
import { usd, type Nanos } from '../../platform/lib/money.ts';
import { oneByOne } from '../../platform/work/worker.ts';
import { lockChangedCosts, noteCostsChecked } from '../../tenancy/organizations/locks.ts';
import type { NotificationProgram } from '../notifications/context.ts';
import { measure, ruleOf } from './alertTypes.ts';
import { readCosts } from './checkAlerts.ts';
import { findBudgets, findChangedCosts, noteAnnounced, type AlertRow, type Announced } from './queries.ts';
import type { MeasuredHistory } from './rules/rule.ts';

const shares = [50, 75, 90, 100] as const;
type Share = (typeof shares)[number];

/**
 * Looks at the budgets of the organizations whose costs have changed, and announces which shares of them have been
 * crossed; after a reprice, once it has ended. One that fails costs the others nothing and is thrown at the end. Answers
 * whether there was any to look at.
 */
export async function crossBudgets(program: NotificationProgram): Promise<boolean> {
  const repriced = await findRepriced(program.db);
  const changed = (await findChangedCosts(program.db)).filter((orgId) => !repriced.has(orgId));
  await oneByOne(changed, (orgId) => crossBudgetsOf(program, orgId), {
    nameOf: (orgId) => `budgets of organization ${orgId}`,
    message: 'budgets could not be looked at',
  });
  return changed.length > 0;
}

/** It holds the organization's row as recording does, so that each share is announced once however costs come in. */
async function crossBudgetsOf({ db, clock, subscribers }: NotificationProgram, orgId: string): Promise<void> {
  const now = clock.now();
  await db.transaction().execute(async (tx) => {
    const changed = await lockChangedCosts(tx, orgId);
    // Once more, for one may have begun while others were looked at; from here on none can.
    if (!changed || (await findRepriced(tx)).has(orgId)) return;
    const history = await readCosts(tx, orgId, now);
    for (const budget of await findBudgets(tx, orgId)) {
      const { since, crossed, announced } = judgeShares(budget, history, now);
      for (const { percentage, spendNanos } of crossed) {
        await recordEvent(tx, { orgId, now, subscribers }, 'cost.threshold', {
          threshold: { percentage, budget: usd(budget.thresholdNanos), current_spend: usd(spendNanos) },
          scope: { type: 'organization', org: changed.login ?? changed.name },
          alert_id: budget.id,
        });
      }
      if (!isDeepStrictEqual(announced, announcedOf(budget)))
        await noteAnnounced(tx, budget, { since, announced });
    }
    await noteCostsChecked(tx, changed);
  });
}

/**
 * Notes the shares that a new or changed budget has reached already, so that only those crossed from now on are announced.
 * The caller holds the organization's row.
 */
export async function passOverReachedShares(tx: Transaction, budget: AlertRow, now: Date): Promise<void> {
  if (budget.alertType !== 'budget' || !budget.enabled) return;
  const history = await readCosts(tx, budget.orgId, now);
  const { since, announced } = judgeShares(budget, history, now);
  await noteAnnounced(tx, budget, { since, announced });
}

/**
 * The shares that have been crossed in the period that has today in it and, where the budget was there already, in the
 * last one, for costs come late; and what is announced with them. Each period is measured as a check measures it.
 */
function judgeShares(budget: AlertRow, history: MeasuredHistory, now: Date) {
  const rule = ruleOf(budget);
  const current = measure(rule, history, now, 'on_demand');
  const previous = measure(rule, history, startOfDay(current.window.start), 'scheduled');
  const wasThere = budget.toldSince !== null && budget.toldSince <= previous.window.start;
  const periods = wasThere ? [previous, current] : [current];
  const since = periods[0]!.window.start;
  let announced = announcedOf(budget).filter(({ periodStart }) => periodStart >= since);
  const crossed = periods.flatMap(({ observedNanos, window }) => {
    const judged = crossShares(budget.thresholdNanos, observedNanos, announced, window.start);
    announced = judged.next;
    return judged.crossed.map((percentage) => ({ percentage, spendNanos: observedNanos }));
  });
  return { since, crossed, announced };
}

/**
 * The percentages of the budget that the spend of the period has reached and that are not announced yet, ascending, and
 * what is announced with them. Each is announced once per amount and period.
 */
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

function announcedOf({ told }: AlertRow): Announced[] {
  const entries = told as (Omit<Announced, 'budgetNanos'> & { budgetNanos: string })[];
  return entries.map((entry) => ({ ...entry, budgetNanos: BigInt(entry.budgetNanos) }));
}

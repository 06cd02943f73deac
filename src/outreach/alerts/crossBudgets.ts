import { isDeepStrictEqual } from 'node:util';
import { recordEvent } from '../../events/recordEvent.ts';
import { getDayCosts } from '../../ledger/costs/getDayCosts.ts';
import { findRepriced } from '../../ledger/repricing/reprices.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { dayOf, type Window } from '../../platform/lib/days.ts';
import { usd } from '../../platform/lib/money.ts';
import type { AlertProgram } from './context.ts';
import { costOf, type DayCosts } from './measure.ts';
import { budgetPeriod, previousPeriod } from './periods.ts';
import {
  claimChangedCosts,
  findBudgets,
  findChangedCosts,
  markCostsChecked,
  noteTold,
  type AlertRow,
} from './queries.ts';
import { crossThresholds, type Told } from './thresholds.ts';

/**
 * Looks at the budgets of the organizations whose costs have changed, and announces which shares of them have been
 * crossed; after a reprice, once it has ended. One that fails costs the others nothing and is thrown at the end. Answers
 * whether there was any to look at.
 */
export async function crossBudgets(program: AlertProgram): Promise<boolean> {
  const failures: unknown[] = [];
  const repriced = await findRepriced(program.db);
  const changed = (await findChangedCosts(program.db)).filter((orgId) => !repriced.has(orgId));
  for (const orgId of changed) {
    await crossBudgetsOf(program, orgId).catch((cause: unknown) =>
      failures.push(new Error(`budgets of organization ${orgId}`, { cause })),
    );
  }
  if (failures.length > 0) throw new AggregateError(failures, 'budgets could not be looked at');
  return changed.length > 0;
}

/** It holds the organization's row as recording does, so that each share is announced once however costs come in. */
async function crossBudgetsOf(program: AlertProgram, orgId: string): Promise<void> {
  const now = program.clock.now();
  await program.db.transaction().execute(async (tx) => {
    const changed = await claimChangedCosts(tx, orgId);
    // Once more, for one may have begun while others were looked at; from here on none can.
    if (!changed || (await findRepriced(tx)).has(orgId)) return;
    const costs = await costsToJudge(tx, orgId, now);
    for (const budget of await findBudgets(tx, orgId)) {
      const { since, crossed, told } = judgeShares(budget, costs, now);
      for (const { percentage, spendNanos } of crossed) {
        await recordEvent(tx, { orgId, now }, 'cost.threshold', {
          threshold: { percentage, budget: usd(budget.thresholdNanos), current_spend: usd(spendNanos) },
          scope: { type: 'organization', org: changed.login ?? changed.name },
          alert_id: budget.id,
        });
      }
      if (!isDeepStrictEqual(told, toldOf(budget))) await noteTold(tx, budget, { since, told });
    }
    await markCostsChecked(tx, changed);
  });
}

/**
 * Notes the shares that a new or changed budget has reached already, so that only those crossed from now on are announced.
 * The caller holds the organization's row.
 */
export async function passOverReachedShares(tx: Transaction, budget: AlertRow, now: Date): Promise<void> {
  if (budget.alertType !== 'budget' || !budget.enabled) return;
  const costs = await costsToJudge(tx, budget.orgId, now);
  const { since, told } = judgeShares(budget, costs, now);
  await noteTold(tx, budget, { since, told });
}

async function costsToJudge(tx: Transaction, orgId: string, now: Date): Promise<DayCosts> {
  const longest = previousPeriod(budgetPeriod(now, 'month'), 'month');
  return (await getDayCosts(tx, orgId, { start: longest.start, end: dayOf(now) })).costs;
}

/** The shares that have been crossed, and what is announced with them, of the periods from `since` on. */
function judgeShares(budget: AlertRow, costs: DayCosts, now: Date) {
  const periods = periodsToJudge(budget, now);
  const since = periods[0]!.start;
  let told = toldOf(budget).filter(({ periodStart }) => periodStart >= since);
  const crossed = periods.flatMap((period) => {
    const spendNanos = costOf(costs, period);
    const judged = crossThresholds(budget.thresholdNanos, spendNanos, told, period.start);
    told = judged.next;
    return judged.crossed.map((percentage) => ({ percentage, spendNanos }));
  });
  return { since, crossed, told };
}

/** The period that has today in it; before it, where the budget was there already, the last one: costs come late. */
function periodsToJudge({ period, toldSince }: AlertRow, now: Date): Window[] {
  const current = budgetPeriod(now, period);
  const previous = previousPeriod(current, period);
  return toldSince !== null && toldSince <= previous.start ? [previous, current] : [current];
}

function toldOf({ told }: AlertRow): Told[] {
  const entries = told as (Omit<Told, 'budgetNanos'> & { budgetNanos: string })[];
  return entries.map((entry) => ({ ...entry, budgetNanos: BigInt(entry.budgetNanos) }));
}

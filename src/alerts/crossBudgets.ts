import { getDayCosts } from '../dashboard/getDayCosts.ts';
import { dayOf } from '../lib/days.ts';
import { usd } from '../lib/money.ts';
import { recordEvent } from '../webhooks/recordEvent.ts';
import type { AlertProgram } from './context.ts';
import { budgetPeriod } from './periods.ts';
import {
  claimChangedCosts,
  findBudgets,
  markCostsChecked,
  noteTold,
  type AlertRow,
  type Told,
} from './queries.ts';
import { crossThresholds } from './thresholds.ts';

/**
 * Looks at the budgets of one organization whose costs have changed, and tells which percentages of them have been
 * reached. It holds the organization's row as recording does, so that each is told once however costs come in. Answers
 * whether there was such an organization.
 */
export async function crossBudgets(program: AlertProgram): Promise<boolean> {
  const now = program.clock.now();
  return program.db.transaction().execute(async (tx) => {
    const changed = await claimChangedCosts(tx);
    if (!changed) return false;
    const { orgId } = changed;
    const end = dayOf(now);
    // A week can have begun in the month before.
    const [month, week] = [budgetPeriod(now, 'month').start, budgetPeriod(now, 'week').start];
    const { costs } = await getDayCosts(tx, orgId, { start: month < week ? month : week, end });
    for (const budget of await findBudgets(tx, orgId)) {
      const period = budgetPeriod(now, budget.period);
      const spend = [...costs].reduce((sum, [day, cost]) => (day >= period.start ? sum + cost : sum), 0n);
      const { crossed, next } = crossThresholds(budget.thresholdNanos, spend, toldOf(budget), period.start);
      for (const percentage of crossed) {
        await recordEvent(tx, { orgId, now }, 'cost.threshold', {
          threshold: { percentage, budget: usd(budget.thresholdNanos), current_spend: usd(spend) },
          scope: { type: 'organization', org: changed.login ?? changed.name },
          alert_id: budget.id,
        });
      }
      await noteTold(tx, budget, next);
    }
    await markCostsChecked(tx, changed);
    return true;
  });
}

function toldOf({ toldPeriodStart, toldBudgetNanos, toldPercentages }: AlertRow): Told | null {
  if (toldPeriodStart === null || toldBudgetNanos === null) return null;
  return { periodStart: toldPeriodStart, budgetNanos: toldBudgetNanos, sent: toldPercentages };
}

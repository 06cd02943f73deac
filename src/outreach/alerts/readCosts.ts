import { getCostsByTime, getDayCosts } from '../../ledger/costs/overview.ts';
import { createScopeReader, prepareScopes, type ScopeReader, type Sum } from '../../ledger/costs/scopes.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { addDays, dayOf } from '../../platform/lib/days.ts';
import type { NotificationProgram } from '../notifications/context.ts';
import { typeOf, type Rule } from './alertTypes.ts';
import { costScopeOf, costScopesOf } from './costScopes.ts';
import type { MeasuredHistory } from './rules/rule.ts';
import type { Scope } from './scope.ts';

/**
 * Days of costs that a check needs. A late monthly check looks 30 days back to its tick, then at 30 days and
 * the three windows before.
 */
export const measuredDays = 30 + 4 * 30;

/** Shares of budgets need at most this month and the one before. */
export const sharesDays = 62;

type Span = { now: Date; days: number };

function daysIn({ now, days }: Span) {
  const end = dayOf(now);
  return { start: addDays(end, -days), end };
}

/** Call it before the transaction that reads these costs. */
export function prepareCosts(
  program: Pick<NotificationProgram, 'db' | 'log'>,
  orgId: string,
  scopes: readonly Scope[],
  span: Span,
): Promise<void> {
  return prepareScopes(program, orgId, costScopesOf(scopes), daysIn(span));
}

/**
 * Reads the histories of all scopes in one measurement, with as many statements for 500 scopes as for one.
 * The returned sum needs no database, and takes longer than the reading.
 */
export async function readCosts(
  tx: Transaction,
  orgId: string,
  scopes: readonly Scope[],
  { reader = createScopeReader(tx, orgId), ...span }: Span & { reader?: ScopeReader },
): Promise<Sum<Scope>> {
  const days = daysIn(span);
  const isWhole = scopes.some((scope) => costScopeOf(scope) === null);
  const ofOrganization = isWhole ? await getDayCosts(tx, orgId, days) : null;
  const sum = await reader.costs(costScopesOf(scopes), days);
  return async () => {
    const ofPart = await sum();
    return (scope) => {
      const costScope = costScopeOf(scope);
      return costScope ? ofPart(costScope) : ofOrganization!;
    };
  };
}

/** The history of a rule for a check on demand, including what earlier days had cost by this time of day. */
export async function readCostsByNow(
  tx: Transaction,
  orgId: string,
  rule: Rule,
  { reader = createScopeReader(tx, orgId), ...span }: Span & { reader?: ScopeReader },
): Promise<MeasuredHistory> {
  const { scope } = rule;
  const sum = await readCosts(tx, orgId, [scope], { ...span, reader });
  const history = (await sum())(scope);
  const baselineDays = typeOf(rule).baselineDaysByNow(rule, span.now, history);
  const costScope = costScopeOf(scope);
  const costsByNow = costScope
    ? await reader.costsByTime(costScope, baselineDays, span.now)
    : await getCostsByTime(tx, orgId, baselineDays, span.now);
  return { ...history, costsByNow };
}

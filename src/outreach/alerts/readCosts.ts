import { prepareScopes, type ScopeReader, type Sum } from '../../ledger/costs/scopes.ts';
import { addDays, dayOf } from '../../platform/lib/days.ts';
import type { NotificationProgram } from '../notifications/context.ts';
import { typeOf, type Rule } from './alertTypes.ts';
import { costScopeOf } from './costScopes.ts';
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
  return prepareScopes(program, orgId, scopes.map(costScopeOf), daysIn(span));
}

/**
 * Reads the histories of all scopes in one measurement, with as many statements for 500 scopes as for one.
 * The returned sum needs no database, and takes longer than the reading.
 */
export async function readCosts(
  reader: ScopeReader,
  scopes: readonly Scope[],
  span: Span,
): Promise<Sum<Scope>> {
  const sum = await reader.costs(scopes.map(costScopeOf), daysIn(span));
  return async () => {
    const historyOf = await sum();
    return (scope) => historyOf(costScopeOf(scope));
  };
}

/** The history of a rule for a check on demand, including what earlier days had cost by this time of day. */
export async function readCostsByNow(reader: ScopeReader, rule: Rule, span: Span): Promise<MeasuredHistory> {
  const { scope } = rule;
  const history = (await (await readCosts(reader, [scope], span))())(scope);
  const baselineDays = typeOf(rule).baselineDaysByNow(rule, span.now, history);
  const costsByNow = await reader.costsByTime(costScopeOf(scope), baselineDays, span.now);
  return { ...history, costsByNow };
}

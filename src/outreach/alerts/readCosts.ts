import { projectionHistoryDays } from '../../ledger/costs/projection.ts';
import {
  needsColumns,
  prepareScopes,
  type CostScope,
  type ScopeReader,
  type Sum,
  type Watched as WatchedCosts,
} from '../../ledger/costs/scopes.ts';
import { addDays, dayOf } from '../../platform/lib/days.ts';
import type { NotificationProgram } from '../notifications/context.ts';
import { typeOf, type Rule } from './alertTypes.ts';
import type { MeasuredHistory } from './rules/rule.ts';
import { scopeTypes, type Scope } from './scope.ts';

/**
 * Days of costs that a check needs. A late monthly check looks 30 days back to its tick, then at 30 days and
 * the three windows before.
 */
export const measuredDays = 30 + 4 * 30;
/** What checks and forecasts need together. */
export const forecastDays = Math.max(measuredDays, projectionHistoryDays);

/** Thresholds of budgets need at most this month and the one before. */
export const thresholdDays = 62;

type Span = { now: Date; days: number };

function daysIn({ now, days }: Span) {
  const end = dayOf(now);
  return { start: addDays(end, -days), end };
}

/** Names that are not patterns stay literal. */
export function costScopeOf({ type, value = '', repository }: Scope): CostScope {
  switch (type) {
    case 'organization':
      return [];
    case 'repository':
      return [{ dimension: 'repository', values: [value] }];
    case 'workflow':
      return [{ dimension: 'workflowId', values: [`=${value}`] }];
    case 'branch':
      return [
        { dimension: 'branch', values: [value] },
        ...(repository === undefined ? [] : [{ dimension: 'repository' as const, values: [repository] }]),
      ];
    case 'team':
      return [{ dimension: 'team', values: [`=${value}`] }];
    case 'cost_center':
      return [{ dimension: 'costCenter', values: [`=${value}`] }];
    case 'actor_kind':
      return [{ dimension: 'actorKind', values: [`=${value}`] }];
  }
}

/** What an alert adds up of its scope. */
export type Watched = Pick<Rule, 'scope' | 'measure'>;

export function watchedCosts({ scope, measure }: Watched): WatchedCosts {
  return { scope: costScopeOf(scope), measure };
}

/** Scopes whose costs are not in the rollups, so that reading them is slower. */
export const slowTypes = scopeTypes.filter((type) => needsColumns(costScopeOf({ type })));

/** Call it before the transaction that reads these costs. */
export function prepareCosts(
  program: Pick<NotificationProgram, 'db' | 'log' | 'providers'>,
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
  watched: readonly Watched[],
  span: Span,
): Promise<Sum<Watched>> {
  const sum = await reader.costs(watched.map(watchedCosts), daysIn(span));
  return async () => {
    const historyOf = await sum();
    return (each) => historyOf(watchedCosts(each));
  };
}

/** The history of a rule for a check on demand, including what earlier days had cost by this time of day. */
export async function readCostsByNow(reader: ScopeReader, rule: Rule, span: Span): Promise<MeasuredHistory> {
  const history = (await (await readCosts(reader, [rule], span))())(rule);
  const baselineDays = typeOf(rule).baselineDaysByNow(rule, span.now, history);
  const costsByNow = await reader.costsByTime(costScopeOf(rule.scope), baselineDays, span.now);
  return { ...history, costsByNow };
}

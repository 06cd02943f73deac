import type { Context } from '../../context.ts';
import { inSnapshot, type Database } from '../../platform/db/database.ts';
import { addDays, dayOf, shortDay, type Day, type Window } from '../../platform/lib/days.ts';
import { getOrCreate } from '../../platform/lib/lists.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { countOf } from '../../platform/lib/text.ts';
import { defaultThresholdNanos, maxBaselineDays, unusualDays, type AnomalyRule } from './anomaly.ts';
import { readRollups } from './columns/readDays.ts';
import { amountsOf, createGroupIndex, createSums, passingRows } from './columns/sumRows.ts';

// What is extrapolated leaves out the days that series of costs mark as unusual, and says so. Totals keep them.

type Days = Pick<Window, 'start' | 'end'>;

export type UnusualRuleContext = Pick<Context, 'db' | 'clock' | 'findUnusualThreshold'> & {
  actor: Pick<Context['actor'], 'orgId'>;
};

/** The rule that marks days: the threshold of the organization's daily alert on rises, or 50%. */
export async function findUnusualRule({
  db,
  actor,
  clock,
  findUnusualThreshold,
}: UnusualRuleContext): Promise<AnomalyRule> {
  const thresholdNanos = (await findUnusualThreshold(db, actor.orgId)) ?? defaultThresholdNanos;
  return { thresholdNanos, today: dayOf(clock.now()) };
}

/** By workflow id. Workflows without unusual days have no entry. */
export type UnusualDays = ReadonlyMap<string, readonly Day[]>;

/** Each workflow is judged by its own costs. */
export async function findUnusualDays(
  db: Database,
  orgId: string,
  workflowIds: readonly string[],
  { window, rule }: { window: Days; rule: AnomalyRule },
): Promise<UnusualDays> {
  const days = { start: addDays(window.start, -maxBaselineDays), end: window.end };
  const names = ['workflowId', 'costNanos'] as const;
  const read = await inSnapshot(db, (tx) =>
    readRollups(tx, orgId, { rowKind: 'jobs', grain: 'workflow', names, workflowIds, window: days }),
  );
  const [index, sums] = [createGroupIndex(['workflowId', 'day']), createSums()];
  for (const day of read) sums.add(index.groupsOf(day, passingRows(day, [])), amountsOf(day, 'costNanos'));
  const costs = new Map<string, Map<Day, Nanos>>();
  for (const [group, nanos] of sums.values().entries()) {
    const [workflowId, day] = index.valuesOf(group);
    getOrCreate(costs, workflowId!, () => new Map<Day, Nanos>()).set(day!, nanos);
  }
  const unusual = [...costs].map(([id, own]) => [id, unusualDays(window, own, rule)] as const);
  return new Map(unusual.filter(([, own]) => own.length > 0));
}

const maxNamed = 3;

/**
 * For example `Leaves out 2 days marked unusual: Mar 4 and Mar 5.` Null if there are none. The pages' `figures.ts` does
 * the same.
 */
export function leftOutText(unusual: Iterable<Day>): string | null {
  const days = [...new Set(unusual)].toSorted();
  if (days.length === 0) return null;
  const others = days.length - maxNamed;
  const named = days.slice(0, maxNamed).map(shortDay);
  if (others > 0) named.push(`${others} more`);
  const last = named.pop()!;
  const list = named.length === 0 ? last : `${named.join(', ')} and ${last}`;
  return `Leaves out ${countOf(days.length, 'day')} marked unusual: ${list}.`;
}

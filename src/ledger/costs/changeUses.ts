import { yieldToRequests } from '../../platform/lib/turns.ts';
import type { Use } from './changeParts.ts';
import {
  amountsOf,
  createGroupIndex,
  createPairIndex,
  createSums,
  passingRows,
  type DayRows,
  type GroupIndex,
  type RowTest,
} from './columns/sumRows.ts';

export const useColumns = ['runner', 'nanosPerMinute', 'minutes', 'costNanos'] as const;

/** What each group of jobs used, by runner kind and price. */
export async function usesByGroup(
  days: readonly DayRows[],
  index: GroupIndex,
  tests: readonly RowTest[],
): Promise<Map<number, Use[]>> {
  const prices = createGroupIndex(['runner', 'nanosPerMinute']);
  const pairs = createPairIndex();
  const [jobs, minutes, costs] = [createSums(), createSums(), createSums()];
  for (const day of days) {
    const passing = passingRows(day, tests);
    const cells = pairs.pairsOf(index.groupsOf(day, passing), prices.groupsOf(day, passing));
    jobs.add(cells, amountsOf(day, null));
    minutes.add(cells, amountsOf(day, 'minutes'));
    costs.add(cells, amountsOf(day, 'costNanos'));
    await yieldToRequests();
  }
  const [jobsOf, minutesOf, costsOf] = [jobs.values(), minutes.values(), costs.values()];
  const uses = new Map<number, Use[]>();
  for (let cell = 0; cell < pairs.size; cell++) {
    const [group, price] = pairs.membersOf(cell);
    const [runner, nanosPerMinute] = prices.valuesOf(price);
    const use = {
      runner: runner ?? null,
      nanosPerMinute: nanosPerMinute == null ? null : BigInt(nanosPerMinute),
      jobs: jobsOf[cell]!,
      minutes: minutesOf[cell]!,
      costNanos: costsOf[cell]!,
    };
    const known = uses.get(group);
    if (known) known.push(use);
    else uses.set(group, [use]);
  }
  return uses;
}

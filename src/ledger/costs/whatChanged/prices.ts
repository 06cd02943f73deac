import type { Day } from '../../../platform/lib/days.ts';
import { compare, getOrCreate, sumOf } from '../../../platform/lib/lists.ts';
import type { Nanos } from '../../../platform/lib/money.ts';
import type { Use } from '../changeParts.ts';
import type { Calendar } from './days.ts';

export type RunnerUses = { runner: string | null; days: ReadonlyMap<Day, readonly Use[]> };

type PricedRunner = {
  runner: string;
  nanosPerMinute: Nanos;
  previousNanosPerMinute: Nanos;
  costNanos: Nanos;
  usualNanos: Nanos;
  jobs: bigint;
};

/** Runner kinds that have another price since a day of the period. */
export type PriceEvent = { from: Day; to: Day; runners: readonly PricedRunner[] };

export function findPriceEvents(runners: readonly RunnerUses[], calendar: Calendar): PriceEvent[] {
  const byDay = new Map<Day, PricedRunner[]>();
  const to = calendar.days.at(-1);
  for (const uses of runners) {
    const found = findOtherPrice(uses, calendar);
    if (found) getOrCreate(byDay, found.from, () => []).push(found.priced);
  }
  return [...byDay].map(([from, priced]) => ({
    from,
    to: to!,
    runners: priced.toSorted((a, b) => compare(b.costNanos, a.costNanos) || compare(a.runner, b.runner)),
  }));
}

function findOtherPrice(
  { runner, days }: RunnerUses,
  calendar: Calendar,
): { from: Day; priced: PricedRunner } | null {
  const first = calendar.days[0];
  if (runner === null || first === undefined) return null;
  const used = [...days].toSorted(([a], [b]) => compare(a, b));
  const during = used.filter(([day]) => day >= first);
  const before = mainPrice(used.filter(([day]) => day < first).flatMap(([, uses]) => uses));
  const now = mainPrice(during.at(-1)?.[1] ?? []);
  if (before === null || now === null || now === before) return null;
  if (calendar.direction * (now - before) < 0n) return null;
  const at = during.findIndex(([, uses]) => mainPrice(uses) === now);
  const since = during.slice(at);
  if (since.some(([, uses]) => mainPrice(uses) !== now)) return null;
  if (during.slice(0, at).some(([, uses]) => mainPrice(uses) !== before)) return null;
  const priced = since.flatMap(([, uses]) => uses).filter((use) => use.nanosPerMinute === now);
  const costNanos = sumOf(priced, 'costNanos');
  const usualNanos = now === 0n ? sumOf(priced, 'minutes') * before : (costNanos * before) / now;
  const prices = { nanosPerMinute: now, previousNanosPerMinute: before };
  return {
    from: since[0]![0],
    priced: { runner, ...prices, costNanos, usualNanos, jobs: sumOf(priced, 'jobs') },
  };
}

/** The price of nearly all minutes; null if there are several. */
function mainPrice(uses: readonly Use[]): Nanos | null {
  const whole = sumOf(uses, 'minutes');
  const groups = [...Map.groupBy(uses, ({ nanosPerMinute }) => nanosPerMinute)];
  const main = groups.find(([, own]) => 10n * sumOf(own, 'minutes') > 9n * whole);
  return main?.[0] ?? null;
}

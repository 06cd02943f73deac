import type { Context } from '../../context.ts';
import { addDays, dayOf, type Day } from '../../platform/lib/days.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { inTurns } from '../../platform/lib/turns.ts';
import { priceRunner, type RunnerPrice } from '../pricing/cost.ts';
import { findPriceList, type PriceList } from '../pricing/priceList.ts';
import { explainRunner, listingOfName } from '../pricing/runnerWords.ts';
import { findUnpricedDays, type UnpricedDaySums } from './reading.queries.ts';

type Runner = { labels: readonly string[]; runnerGroup: string | null };

/** What is known today about an unpriced runner that neither a rule nor a list knew when its jobs were recorded. */
export type NewKnowledge = {
  runnerKind: string | null;
  explanation: string | null;
  /** What its minutes would cost. Null if it still has no price. */
  estimatedCostNanos: Nanos | null;
};

type Priceable = {
  runners: number;
  jobs: number;
  minutes: number;
  estimatedCostNanos: Nanos;
  from: Day;
  to: Day;
};

const nothing: NewKnowledge = { runnerKind: null, explanation: null, estimatedCostNanos: null };

/** Prices unpriced minutes with the current rules and lists. Jobs get these prices only by a reprice. */
export async function findPriceable(
  { db, actor, clock, providers }: Pick<Context, 'db' | 'actor' | 'clock' | 'providers'>,
  days: number,
): Promise<{ of: (runner: Runner) => NewKnowledge; all: Priceable | null }> {
  const list = await findPriceList({ db, providers }, actor.orgId);
  const rows = await findUnpricedDays(db, actor.orgId, addDays(dayOf(clock.now()), 1 - days));
  const known = new Map<string, NewKnowledge>();
  const priced: UnpricedDaySums[] = [];
  for await (const row of inTurns(rows)) {
    const price = knownPrice(row, list, row.day);
    if (price === null) continue;
    const before = known.get(keyOf(row))?.estimatedCostNanos ?? null;
    const estimatedCostNanos = price.hasPrice ? (before ?? 0n) + row.minutes * price.nanosPerMinute : before;
    const explanation = explainRunner({ ...row, runnerName: null, ...price }, providers);
    known.set(keyOf(row), { runnerKind: price.kind, explanation, estimatedCostNanos });
    if (price.hasPrice) priced.push(row);
  }
  return {
    of: (runner) => known.get(keyOf(runner)) ?? nothing,
    all: priced.length === 0 ? null : sumOf(priced, known),
  };
}

function sumOf(rows: readonly UnpricedDaySums[], known: ReadonlyMap<string, NewKnowledge>): Priceable {
  const keys = new Set(rows.map(keyOf));
  return {
    runners: keys.size,
    jobs: Number(rows.reduce((sum, { jobs }) => sum + jobs, 0n)),
    minutes: Number(rows.reduce((sum, { minutes }) => sum + minutes, 0n)),
    estimatedCostNanos: [...keys].reduce((sum, key) => sum + known.get(key)!.estimatedCostNanos!, 0n),
    from: rows[0]!.day,
    to: rows.at(-1)!.day,
  };
}

function keyOf({ labels, runnerGroup }: Runner): string {
  return JSON.stringify([labels, runnerGroup]);
}

/** Null if no rule and no list knows it: an unpriced day does not name the provider, whose own rules decide then. */
function knownPrice(runner: Runner, list: PriceList, day: Day): RunnerPrice | null {
  const provider = list.providers.list.find(({ listedRunners }) => listedRunners !== null)!.id;
  const price = priceRunner({ ...runner, provider, runnerName: null }, list, day);
  return price.priceRuleId !== null || listingOfName(price.rule) ? price : null;
}

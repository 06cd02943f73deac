import type { Context } from '../../context.ts';
import type { Plan } from '../../platform/lib/actor.ts';
import { addDays, dayOf, windowBetween, type Day, type Window } from '../../platform/lib/days.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { lockCosts } from '../../tenancy/organizations/organizations.ts';
import { planWindow } from '../../tenancy/organizations/plans.ts';
import type { PriceBook } from '../pricing/priceBook.ts';
import { findPriceList } from '../pricing/priceList.ts';
import { successorOf, type Providers } from '../pricing/provider.ts';
import { updatePricingIn } from '../pricing/settings.ts';
import { sumByOtherPrices, type PriceRow } from './previews.queries.ts';
import { startRepriceIn, type Reprice } from './reprices.ts';

export type EndedList = {
  book: PriceBook;
  lastDay: Day;
  next: PriceBook;
  period: Window;
  nowNanos: Nanos;
  thenNanos: Nanos;
};

/** Reads rollups, so it uses the recorded runner kind of each job. Only a reprice applies changed rules. */
export async function findEndedList({
  db,
  actor,
  clock,
  providers,
  plan,
}: Pick<Context, 'db' | 'actor' | 'clock' | 'providers'> & { plan: Plan }): Promise<EndedList | null> {
  const now = clock.now();
  const { book } = await findPriceList({ db, providers }, actor.orgId);
  const next = successorOf(book, dayOf(now), providers);
  if (!next) return null;
  const { lastDay } = book.end!;
  const sinceThen = windowBetween(addDays(lastDay, 1), dayOf(now));
  const period = planWindow(now, plan, sinceThen.days);
  return {
    book,
    lastDay,
    next,
    period,
    ...(await sumByOtherPrices(db, actor.orgId, period, priceRows(next, providers))),
  };
}

/** Leaves out runner kinds whose single list is part of every shipped list, because their prices stay. */
function priceRows({ prices }: PriceBook, providers: Providers): PriceRow[] {
  return Object.entries(prices).flatMap(([runnerKind, dated]) =>
    providers.ofKind(runnerKind)?.priceLists.length === 1
      ? []
      : dated.map(({ effectiveFrom, nanosPerMinute }, index) => ({
          runnerKind,
          nanosPerMinute,
          from: effectiveFrom,
          before: dated[index + 1]?.effectiveFrom ?? 'infinity',
        })),
  );
}

/** Does neither if the list has not ended or another reprice is running. */
export function switchPriceList(ctx: Context): Promise<Reprice> {
  const { db, actor, clock, providers } = ctx;
  return db.transaction().execute(async (tx) => {
    await lockCosts(tx, actor.orgId);
    const { book } = await findPriceList({ db: tx, providers }, actor.orgId);
    const today = dayOf(clock.now());
    const next = successorOf(book, today, providers);
    if (!next) {
      const message = `The chosen price list, “${book.name}”, has not ended, so there is nothing to switch to.`;
      throw new PublicError('conflict', 'price_list_holds', message);
    }
    await updatePricingIn(tx, ctx, { book_id: next.id });
    return startRepriceIn(tx, ctx, { from: addDays(book.end!.lastDay, 1), to: today });
  });
}

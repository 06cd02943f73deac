import type { Context } from '../../context.ts';
import type { Database } from '../../platform/db/database.ts';
import { addDays, dayOf, monthAround, startOfDay, type Day, type Window } from '../../platform/lib/days.ts';
import { fraction, numberOf, type Fraction } from '../../platform/lib/fractions.ts';
import { compare, sumOf } from '../../platform/lib/lists.ts';
import { isUnnamed, openBill } from '../bills/billed.ts';
import { allowedProductOf, gigabyteHours } from '../bills/skus.ts';
import { useUp } from '../pricing/includedMinutes.ts';
import { productAllowanceIn } from '../pricing/productAllowances.ts';
import type { Providers } from '../pricing/provider.ts';
import { allowedProducts, type AllowedProduct } from '../pricing/publishedTerms.ts';
import { listTerms, type OfOrganization } from '../pricing/terms.ts';
import { sharesByMonth, sharesOf } from './includedUse.ts';

/** In billionths of a GB-hour or a credit. Lines without a repository have none. */
type BilledUse = { day: Day; product: AllowedProduct; repository: string | null; nanos: bigint };

const nanosPerUnit = 1_000_000_000n;

/** What the bill says was used of products that plans include. Discounted lines are used too. */
async function readBilledUse(
  db: Database,
  orgId: string,
  days: Pick<Window, 'start' | 'end'>,
): Promise<BilledUse[]> {
  const bill = await openBill(db, orgId, days);
  const lines = await bill.read(db, days, { per: 'day', only: 'others' });
  return lines.flatMap((line) => {
    const product = allowedProductOf(line);
    if (product === null) return [];
    const repository = bill.repositoryOf(line);
    const nanos = gigabyteHours(line) ?? line.quantityNanos;
    return [{ day: line.day, product, repository: isUnnamed(repository) ? null : repository, nanos }];
  });
}

type Shares = {
  /** Billionths of a percent of what the month includes. */
  ofDays: (product: AllowedProduct) => ReadonlyMap<Day, bigint>;
  firstDay: (product: AllowedProduct) => Day | null;
  /** The repositories with the largest shares of the days' month. */
  repositories: (product: AllowedProduct) => { repository: string; nanos: bigint }[];
};

/** The shares of the days. The result needs no database. */
export async function readShares(
  { db, orgId, providers }: { db: Database; orgId: string; providers: Providers },
  days: Pick<Window, 'start' | 'end'>,
): Promise<Shares> {
  const used = await readBilledUse(db, orgId, days);
  const facts = { terms: await listTerms({ db, actor: { orgId } }), providers };
  const of = (product: AllowedProduct) => used.filter((each) => each.product === product);
  const allowanceOf = (product: AllowedProduct) => (month: string) =>
    productAllowanceIn(product, `${month}-01`, facts, days.end) ?? fraction(0n);
  return {
    ofDays: (product) => sharesByMonth(sumsByDay(of(product)), allowanceOf(product), nanosPerUnit),
    firstDay: (product) => [...sumsByDay(of(product)).keys()].toSorted()[0] ?? null,
    repositories: (product) => {
      const sums = sumsByRepository(of(product));
      const allowance = allowanceOf(product)(days.end.slice(0, 7));
      const shares = sharesOf(
        sums.map(({ nanos }) => nanos),
        allowance,
        nanosPerUnit,
      );
      return sums.map(({ repository }, place) => ({ repository, nanos: shares[place]! }));
    },
  };
}

function sumsByDay(used: readonly BilledUse[]): ReadonlyMap<Day, bigint> {
  return new Map([...Map.groupBy(used, ({ day }) => day)].map(([day, of]) => [day, sumOf(of, 'nanos')]));
}

function sumsByRepository(used: readonly BilledUse[]): { repository: string; nanos: bigint }[] {
  return [...Map.groupBy(used, ({ repository }) => repository)]
    .flatMap(([repository, of]) => (repository === null ? [] : [{ repository, nanos: sumOf(of, 'nanos') }]))
    .toSorted((a, b) => compare(b.nanos, a.nanos) || compare(a.repository, b.repository));
}

export type IncludedProduct = {
  product: AllowedProduct;
  title: string;
  unit: 'gb_hours' | 'credits';
  month: Window;
  /** Null if the terms do not say what is included. */
  included: Fraction | null;
  usedNanos: bigint;
  /** The last day of the month in the bill. Null without one. */
  countedUntil: Day | null;
  isExhausted: boolean;
  exhaustedOn: Day | null;
  repositories: { repository: string; nanos: bigint }[];
};

const maxRepositories = 5;

/** This month's use of what plans include beside compute, by the bill, which is late by a day or more. */
export async function getIncludedProducts({
  db,
  actor,
  clock,
  providers,
}: Pick<Context, 'db' | 'clock' | 'providers'> & OfOrganization): Promise<IncludedProduct[]> {
  const today = dayOf(clock.now());
  const month = monthAround(today);
  const used = await readBilledUse(db, actor.orgId, { start: month.start, end: today });
  const facts = { terms: await listTerms({ db, actor }), providers };
  return Object.entries(allowedProducts).map(([name, { title, unit }]) => {
    const product = name as AllowedProduct;
    const of = used.filter((each) => each.product === product);
    const days = [...sumsByDay(of)].toSorted(([a], [b]) => compare(a, b));
    const countedUntil = days.at(-1)?.[0] ?? null;
    const included = productAllowanceIn(product, today, facts, today);
    const drawn = days.map(([day, nanos]) => ({ day, used: fraction(nanos, nanosPerUnit) }));
    // The pace of the days that the bill has.
    const until = countedUntil === null ? clock.now() : startOfDay(addDays(countedUntil, 1));
    return {
      product,
      title,
      unit,
      month,
      included,
      usedNanos: sumOf(of, 'nanos'),
      countedUntil,
      ...useUp(drawn, included, until < clock.now() ? until : clock.now()),
      repositories: sumsByRepository(of).slice(0, maxRepositories),
    };
  });
}

export function includedProductView(found: IncludedProduct) {
  const { product, title, unit, month, included, usedNanos, repositories } = found;
  const units = (nanos: bigint) => Number(nanos / 10_000_000n) / 100;
  return {
    product,
    title,
    unit,
    month,
    included: included && numberOf(included),
    used: units(usedNanos),
    counted_until: found.countedUntil,
    is_exhausted: found.isExhausted,
    exhausted_on: found.exhaustedOn,
    repositories: repositories.map(({ repository, nanos }) => ({
      repo_name: repository,
      used: units(nanos),
    })),
  };
}

import type { Program } from '../../context.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Day } from '../../platform/lib/days.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { readPattern } from './linearPattern.ts';
import {
  beginning,
  defaultBookId,
  priceAt,
  readCustomBook,
  readLaterRates,
  type DatedPrice,
  type PriceBook,
} from './priceBook.ts';
import type { Listing, Providers, Rounding, ReportedRunner } from './provider.ts';
import {
  findPriceListRow,
  type PriceListRow,
  type StoredCreditPrice,
  type StoredListing,
  type StoredRule,
} from './queries.ts';

export type PriceRule = {
  id: string;
  match: 'label' | 'regex' | 'runner_group';
  /** Ignores case. A regular expression may match any part of a label. */
  pattern: string;
  runnerKind: string | null;
  name: string | null;
  /** Until the first of the later rates. */
  nanosPerMinute: Nanos | null;
  /** Oldest first. */
  laterRates: readonly DatedPrice[];
  /** Null keeps the default rounding. */
  rounding: Rounding | null;
};

export type PriceList = {
  book: PriceBook;
  rules: readonly ReadyRule[];
  listings: Listings;
  credits: readonly StoredCreditPrice[];
  providers: Providers;
};

/** By name: for each owner, such as an organization at GitHub, its listings, oldest first. */
type Listings = ReadonlyMap<string, readonly (readonly Listing[])[]>;

type ReadyRule = PriceRule & { matches: (runner: ReportedRunner) => boolean };

/** All rates of a rule that has its own, oldest first. */
export function ratesOf({ nanosPerMinute, laterRates }: PriceRule): DatedPrice[] {
  return nanosPerMinute === null ? [] : [{ effectiveFrom: beginning, nanosPerMinute }, ...laterRates];
}

/** Stored instead of a price list's id with jobs that the billing terms priced. */
export const termsBookId = 'billing_terms';

/** The price of a credit in the billing terms wins over the list. */
export function listedPriceAt(
  { book, credits, providers }: Pick<PriceList, 'book' | 'credits' | 'providers'>,
  kind: string,
  day: Day,
): { nanosPerMinute: Nanos; bookId: string } | null {
  const { creditsPerMinute } = providers.kind(kind) ?? {};
  const provider = providers.ofKind(kind)?.id;
  const held = credits.findLast((each) => each.provider === provider && each.effectiveFrom <= day);
  const perCredit = held?.nanosPerCredit ?? null;
  if (creditsPerMinute && perCredit !== null)
    return { nanosPerMinute: BigInt(creditsPerMinute) * BigInt(perCredit), bookId: termsBookId };
  const price = priceAt(book, kind, day);
  return price && { nanosPerMinute: price.nanosPerMinute, bookId: book.id };
}

export function createPriceList(
  book: PriceBook,
  rules: readonly PriceRule[],
  providers: Providers,
  { listings = [], credits = [] }: Pick<StoredPriceList, 'listings' | 'credits'> = {},
): PriceList {
  return { book, rules: rules.map(readyRule), listings: listingsOf(listings), credits, providers };
}

function listingsOf(stored: readonly StoredListing[]): Listings {
  const byName = [...Map.groupBy(stored, ({ name }) => name)];
  return new Map(
    byName.map(([name, listings]) => [name, [...Map.groupBy(listings, ({ owner }) => owner).values()]]),
  );
}

function readyRule(rule: PriceRule): ReadyRule {
  return { ...rule, matches: matcherOf(rule) };
}

/** An invalid pattern matches nothing. */
export function matcherOf({
  match,
  pattern,
}: Pick<PriceRule, 'match' | 'pattern'>): (
  runner: Pick<ReportedRunner, 'labels' | 'runnerGroup'>,
) => boolean {
  const wanted = pattern.toLowerCase();
  if (match === 'runner_group') return ({ runnerGroup }) => runnerGroup?.toLowerCase() === wanted;
  if (match === 'label') return ({ labels }) => labels.some((label) => label.toLowerCase() === wanted);
  const read = readPattern(pattern);
  if ('fault' in read) return () => false;
  return ({ labels }) => labels.some(read.matches);
}

/** A price list as JSON, for work that must finish with the list it started with. */
export type StoredPriceList = PriceListRow;

export async function findPriceList(
  { db, providers }: Pick<Program, 'db' | 'providers'>,
  orgId: string,
): Promise<PriceList> {
  return readPriceList(await findStoredPriceList(db, orgId), providers);
}

export async function findStoredPriceList(db: Database, orgId: string): Promise<StoredPriceList> {
  return (await findPriceListRow(db, orgId)) ?? { priceBookId: defaultBookId, book: null, rules: [] };
}

export function readPriceList(stored: StoredPriceList, providers: Providers): PriceList {
  const rules = stored.rules.map((rule) => readRule(rule, providers));
  return createPriceList(bookOf(stored, providers), rules, providers, stored);
}

function bookOf({ priceBookId: id, book }: StoredPriceList, { books, kindIds }: Providers): PriceBook {
  const shipped = books.find((each) => each.id === id);
  if (shipped) return shipped;
  return book ? readCustomBook({ ...book, id }, kindIds) : books[0]!;
}

function readRule(
  { runnerKind, nanosPerMinute, laterRates = null, ...rule }: StoredRule,
  providers: Providers,
): PriceRule {
  return {
    ...rule,
    runnerKind: knownKind(runnerKind, providers),
    nanosPerMinute: nanosPerMinute === null ? null : BigInt(nanosPerMinute),
    laterRates: readLaterRates(laterRates),
  };
}

export function knownKind(id: string | null, providers: Providers): string | null {
  return id === null ? null : (providers.kind(id)?.id ?? null);
}

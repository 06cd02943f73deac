import type { Context } from '../../context.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { dayOf } from '../../platform/lib/days.ts';
import { invalid, PublicError } from '../../platform/lib/errors.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { toNanos, type Nanos } from '../../platform/lib/money.ts';
import { looksOf } from '../../platform/lib/text.ts';
import { differences, recordAudit } from '../../tenancy/audit/audit.ts';
import { getPriceSettings, lockCosts } from '../../tenancy/organizations/organizations.ts';
import { beginning, maxRate, readCustomBook, type PriceBook } from './priceBook.ts';
import { findPriceList, listedPriceAt, termsBookId } from './priceList.ts';
import type { Providers, RunnerKind } from './provider.ts';
import { changeBook, findBookNames, findBookRow, findBookRows, insertBook, type BookRow } from './queries.ts';
import type { StoredPrice } from './tables.ts';

export type Book = {
  book: PriceBook;
  isShipped: boolean;
  isChosen: boolean;
  basedOn: string | null;
  createdAt: Date | null;
  updatedAt: Date | null;
};

type ReadContext = Pick<Context, 'db' | 'actor' | 'providers'>;

export async function listBooks({ db, actor, providers }: ReadContext): Promise<Book[]> {
  const { priceBookId } = await getPriceSettings(db, actor.orgId);
  const own = await findBookRows(db, actor.orgId);
  return [
    ...providers.books.map((book) => shippedView(book, priceBookId)),
    ...own.map((row) => ownView(row, priceBookId, providers)),
  ];
}

export async function getBook({ db, actor, providers }: ReadContext, id: string): Promise<Book> {
  const { priceBookId } = await getPriceSettings(db, actor.orgId);
  const shipped = providers.books.find((book) => book.id === id);
  if (shipped) return shippedView(shipped, priceBookId);
  const row = await findBookRow(db, actor.orgId, id);
  if (!row) throw noSuchBook();
  return ownView(row, priceBookId, providers);
}

export async function findBook(
  { db, providers }: Pick<Context, 'db' | 'providers'>,
  orgId: string,
  id: string,
): Promise<PriceBook | null> {
  const shipped = providers.books.find((book) => book.id === id);
  if (shipped) return shipped;
  const row = await findBookRow(db, orgId, id);
  return row ? readCustomBook(row, providers.kindIds) : null;
}

function shippedView(book: PriceBook, chosenId: string): Book {
  const none = { basedOn: null, createdAt: null, updatedAt: null };
  return { book, isShipped: true, isChosen: book.id === chosenId, ...none };
}

function ownView(row: BookRow, chosenId: string, { kindIds }: Providers): Book {
  const { id, basedOn, createdAt, updatedAt } = row;
  const book = readCustomBook(row, kindIds);
  return { book, isShipped: false, isChosen: id === chosenId, basedOn, createdAt, updatedAt };
}

function noSuchBook(): PublicError {
  const message = 'There is no such price list in this organization.';
  return new PublicError('not_found', 'price_book_not_found', message);
}

export type PricedKind = { kind: RunnerKind; provider: string | null; nanosPerMinute: Nanos | null };

export async function listRunnerKinds(ctx: ReadContext & Pick<Context, 'clock'>): Promise<PricedKind[]> {
  const { actor, clock, providers } = ctx;
  const list = await findPriceList(ctx, actor.orgId);
  const today = dayOf(clock.now());
  return providers.kindIds.map((id) => ({
    kind: providers.kind(id)!,
    provider: providers.ofKind(id)?.id ?? null,
    nanosPerMinute: listedPriceAt(list, id, today)?.nanosPerMinute ?? null,
  }));
}

export type BookNames = ReadonlyMap<string, string>;

export async function nameBooks(
  { db, providers }: { db: Database; providers: Providers },
  orgId: string,
  jobs: readonly { priceBookId: string }[],
): Promise<BookNames> {
  const shipped = new Map(providers.books.map(({ id, name }) => [id, name]));
  shipped.set(termsBookId, "the organization's billing terms");
  const others = [...new Set(jobs.map(({ priceBookId }) => priceBookId))].filter((id) => !shipped.has(id));
  const rows = others.length === 0 ? [] : await findBookNames(db, orgId, others);
  return new Map([...shipped, ...rows.map(({ id, name }) => [id, name] as const)]);
}

export type PriceInput = { runner_kind: string; usd_per_minute: number; effective_from?: string };
export type NewBook = { name: string; based_on?: string | null; prices?: PriceInput[] };
export type BookChanges = { name?: string; prices?: PriceInput[] };

const maxBooks = 50;

export async function createBook(ctx: Context, { name, based_on, prices = [] }: NewBook): Promise<Book> {
  const { db, actor, clock, providers } = ctx;
  const now = clock.now();
  const id = randomId('book');
  const own = readPrices(prices, providers);
  return db.transaction().execute(async (tx) => {
    await lockCosts(tx, actor.orgId);
    if ((await findBookRows(tx, actor.orgId)).length >= maxBooks) {
      const message = `An organization can have at most ${maxBooks} price lists of its own. Delete one first.`;
      throw new PublicError('conflict', 'too_many_price_books', message);
    }
    await requireOtherName({ db: tx, providers }, actor.orgId, id, name);
    const base = based_on ? await findBook({ db: tx, providers }, actor.orgId, based_on) : null;
    if (based_on && !base) throw invalid('based_on', 'names no price list of this organization');
    const named = new Set(own.map(({ runnerKind }) => runnerKind));
    const copied = base ? storedPrices(base).filter(({ runnerKind }) => !named.has(runnerKind)) : [];
    await insertBook(tx, {
      orgId: actor.orgId,
      id,
      name,
      basedOn: base?.id ?? null,
      prices: [...copied, ...own],
      createdAt: now,
      updatedAt: now,
      deletedAt: null,
    });
    await recordAudit(tx, ctx, 'price_book.create', id, { name, based_on: base?.id ?? null });
    return getBook({ db: tx, actor, providers }, id);
  });
}

/** Changes the given fields. `prices` replaces all prices of the list. Recorded jobs keep their price. */
export async function updateBook(ctx: Context, id: string, { name, prices }: BookChanges): Promise<Book> {
  const { db, actor, clock, providers } = ctx;
  const stored = prices && readPrices(prices, providers);
  return db.transaction().execute(async (tx) => {
    const { name: nameBefore, prices: pricesBefore } = await bookToChange(tx, ctx, id);
    if (name !== undefined && name !== nameBefore) {
      await requireOtherName({ db: tx, providers }, actor.orgId, id, name);
    }
    const details = differences(
      { name: nameBefore, prices: inOrder(pricesBefore, providers) },
      { ...(name !== undefined && { name }), ...(stored && { prices: stored }) },
    );
    if (!details) return getBook({ db: tx, actor, providers }, id);
    await changeBook(
      tx,
      { orgId: actor.orgId, id },
      {
        ...(name !== undefined && { name }),
        ...(stored && { prices: stored }),
        updatedAt: clock.now(),
      },
    );
    await recordAudit(tx, ctx, 'price_book.update', id, details);
    return getBook({ db: tx, actor, providers }, id);
  });
}

export async function deleteBook(ctx: Context, id: string): Promise<void> {
  const { db, actor, clock } = ctx;
  await db.transaction().execute(async (tx) => {
    const { name } = await bookToChange(tx, ctx, id);
    if ((await getPriceSettings(tx, actor.orgId)).priceBookId === id) {
      const message = 'This price list is in use. Choose another one first.';
      throw new PublicError('conflict', 'price_book_in_use', message);
    }
    await changeBook(tx, { orgId: actor.orgId, id }, { deletedAt: clock.now() });
    await recordAudit(tx, ctx, 'price_book.delete', id, { name });
  });
}

async function bookToChange(tx: Transaction, { actor, providers }: Context, id: string): Promise<BookRow> {
  if (providers.books.some((book) => book.id === id)) {
    const message = 'This price list is shipped with Runcost. Create one based on it to change prices.';
    throw new PublicError('conflict', 'price_book_shipped', message);
  }
  await lockCosts(tx, actor.orgId);
  const row = await findBookRow(tx, actor.orgId, id);
  if (!row) throw noSuchBook();
  return row;
}

/** Receipts show only the name, so it must be unique. */
async function requireOtherName(
  { db, providers }: Pick<Context, 'db' | 'providers'>,
  orgId: string,
  id: string,
  name: string,
): Promise<void> {
  const books = [...providers.books, ...(await findBookRows(db, orgId))];
  const isTaken = books.some((book) => book.id !== id && looksOf(book.name) === looksOf(name));
  if (isTaken) throw invalid('name', 'is the name of another price list');
}

function readPrices(prices: readonly PriceInput[], providers: Providers): StoredPrice[] {
  const seen = new Set<string>();
  const read = prices.map(({ runner_kind, usd_per_minute, effective_from = beginning }, index) => {
    const key = `${runner_kind} ${effective_from}`;
    if (seen.has(key)) {
      throw invalid(`prices[${index}]`, `repeats the price of ${runner_kind} from ${effective_from}`);
    }
    seen.add(key);
    return {
      runnerKind: runner_kind,
      effectiveFrom: effective_from,
      nanosPerMinute: readRate(usd_per_minute, `prices[${index}].usd_per_minute`).toString(),
    };
  });
  return inOrder(read, providers);
}

function inOrder(prices: readonly StoredPrice[], { kindIds }: Providers): StoredPrice[] {
  return storedPrices(readCustomBook({ id: '', name: '', prices }, kindIds));
}

export function readRate(usdPerMinute: number, field: string): bigint {
  const nanos = toNanos(usdPerMinute);
  if (nanos === null) throw invalid(field, 'must have at most nine decimals');
  if (usdPerMinute > maxRate) throw invalid(field, `must be at most ${maxRate}`);
  return nanos;
}

function storedPrices({ prices }: PriceBook): StoredPrice[] {
  return Object.entries(prices).flatMap(([runnerKind, dated]) =>
    dated.map(({ effectiveFrom, nanosPerMinute }) => ({
      runnerKind,
      effectiveFrom,
      nanosPerMinute: nanosPerMinute.toString(),
    })),
  );
}

import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { dayOf } from '../../platform/lib/days.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { differences, recordAudit } from '../../tenancy/audit/audit.ts';
import {
  changePriceSettings,
  getPriceSettings,
  lockCosts,
} from '../../tenancy/organizations/organizations.ts';
import { findBook, getBook, type Book } from './books.ts';
import { includedOn, includedView, readIncluded, type Included, type IncludedInput } from './included.ts';
import { listTerms, setIncluded, termsAt, type OfOrganization } from './terms.ts';

export type PricingChanges = { book_id?: string; included_minutes?: IncludedInput | null };

export type Pricing = {
  book: Book;
  /** Null until someone chooses a price list. Then the default applies. */
  chosenAt: Date | null;
  /** Included minutes in the terms that apply today. */
  included: Included | null;
};

type ReadContext = Pick<Context, 'db' | 'actor' | 'providers' | 'clock'>;

export async function getPricing(ctx: ReadContext): Promise<Pricing> {
  const settings = await getPriceSettings(ctx.db, ctx.actor.orgId);
  return {
    book: await getBook(ctx, settings.priceBookId),
    chosenAt: settings.priceBookChosenAt,
    included: await getIncluded(ctx),
  };
}

export async function getIncluded(
  ctx: Pick<Context, 'db' | 'clock' | 'providers'> & OfOrganization,
  provider = 'github',
): Promise<Included | null> {
  return termsAt(await listTerms(ctx), provider, dayOf(ctx.clock.now()), ctx.providers)?.included ?? null;
}

export function updatePricing(ctx: Context, changes: PricingChanges): Promise<Pricing> {
  if (Object.keys(changes).length === 0) return getPricing(ctx);
  return ctx.db.transaction().execute((tx) => updatePricingIn(tx, ctx, changes));
}

export async function updatePricingIn(
  tx: Transaction,
  ctx: Context,
  { book_id, included_minutes }: PricingChanges,
): Promise<Pricing> {
  const { actor, clock, providers } = ctx;
  const inTransaction = { ...ctx, db: tx };
  const today = dayOf(clock.now());
  const gitHub = providers.of('github')!;
  const chosenIncluded = included_minutes === undefined ? undefined : readIncluded(included_minutes, gitHub);
  const given = chosenIncluded !== undefined && {
    included: chosenIncluded && includedOn(chosenIncluded, 'github', today, providers),
  };
  await lockCosts(tx, actor.orgId);
  if (book_id !== undefined && !(await findBook({ db: tx, providers }, actor.orgId, book_id))) {
    throw invalid('book_id', 'names no price list of this organization; GET /pricing/books lists them');
  }
  const { priceBookId, priceBookChosenAt } = await getPriceSettings(tx, actor.orgId);
  const before = { priceBookId, included: await getIncluded(inTransaction) };
  const chosen = book_id !== undefined && { priceBookId: book_id };
  const changed = differences(namedByTheApi(before), namedByTheApi({ ...before, ...chosen, ...given }));
  // Choosing the default changes no price, but it confirms which list applies.
  const isAnswer = book_id !== undefined && priceBookChosenAt === null;
  const details = changed ?? (isAnswer ? { book_id } : null);
  if (!details) return getPricing(inTransaction);
  const now = clock.now();
  const isChoice = isAnswer || 'book_id' in details;
  await changePriceSettings(tx, actor.orgId, {
    ...chosen,
    ...(isChoice && { priceBookChosenAt: now }),
    updatedAt: now,
  });
  if (chosenIncluded !== undefined) {
    const terms = await listTerms(inTransaction);
    await setIncluded(tx, actor.orgId, { terms, included: chosenIncluded, day: today });
  }
  await recordAudit(tx, ctx, 'pricing.update', actor.orgId, details);
  return getPricing(inTransaction);
}

function namedByTheApi({ priceBookId, included }: { priceBookId: string; included: Included | null }) {
  return { book_id: priceBookId, included_minutes: includedView(included) };
}

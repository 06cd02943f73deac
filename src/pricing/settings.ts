import { invalid } from '../lib/errors.ts';
import type { Context } from '../organizations/context.ts';
import { lockCosts } from '../organizations/lockCosts.ts';
import { recordAudit } from '../organizations/recordAudit.ts';
import { changePriceSettings, findPriceSettings, type PriceSettings } from './books.queries.ts';
import { findBook, getBook, type Book } from './getBook.ts';

/** Minutes a month that GitHub's plans include: https://docs.github.com/en/billing/reference/product-usage-included */
export const includedByPlan = { free: 2_000, pro: 3_000, team: 3_000, enterprise: 50_000 } as const;
export type GitHubPlan = keyof typeof includedByPlan;

export type IncludedInput = { github_plan: GitHubPlan } | { minutes: number };
export type PricingChanges = { book_id?: string; included_minutes?: IncludedInput | null };

export type Pricing = { book: Book; included: Included | null };
export type Included = { githubPlan: GitHubPlan | null; minutes: number };

/** What the organization has chosen: its price book, and the minutes that its plan at GitHub includes. */
export async function getPricing(ctx: Pick<Context, 'db' | 'actor'>): Promise<Pricing> {
  const settings = await findPriceSettings(ctx.db, ctx.actor.orgId);
  return { book: await getBook(ctx, settings.priceBookId), included: includedOf(settings) };
}

/** Changes what is given. Jobs that come from now on are priced with it; those recorded keep their price. */
export async function updatePricing(ctx: Context, changes: PricingChanges): Promise<Pricing> {
  const { db, actor, clock } = ctx;
  const { book_id, included_minutes } = changes;
  if (Object.keys(changes).length === 0) return getPricing(ctx);
  await db.transaction().execute(async (tx) => {
    await lockCosts(tx, actor.orgId);
    if (book_id !== undefined && !(await findBook(tx, actor.orgId, book_id))) {
      throw invalid(
        'body.book_id',
        'names no price book of this organization; GET /pricing/books lists them',
      );
    }
    const before = await findPriceSettings(tx, actor.orgId);
    await changePriceSettings(tx, actor.orgId, {
      ...(book_id !== undefined && { priceBookId: book_id }),
      ...(included_minutes !== undefined && includedColumns(included_minutes)),
      updatedAt: clock.now(),
    });
    await recordAudit(tx, ctx, 'pricing.update', actor.orgId, {
      ...changes,
      ...(book_id !== undefined && { book_id_before: before.priceBookId }),
    });
  });
  return getPricing(ctx);
}

function includedColumns(included: IncludedInput | null) {
  if (included === null) return { includedPlan: null, includedMinutes: null };
  return 'github_plan' in included
    ? { includedPlan: included.github_plan, includedMinutes: null }
    : { includedPlan: null, includedMinutes: included.minutes };
}

/** Null where the organization has set nothing. */
export function includedOf({ includedPlan, includedMinutes }: PriceSettings): Included | null {
  if (includedPlan !== null) return { githubPlan: includedPlan, minutes: includedByPlan[includedPlan] };
  return includedMinutes === null ? null : { githubPlan: null, minutes: includedMinutes };
}

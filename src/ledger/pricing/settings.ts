import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { differences, recordAudit } from '../../tenancy/audit/audit.ts';
import {
  changePriceSettings,
  getPriceSettings,
  lockCosts,
  type PriceSettings,
} from '../../tenancy/organizations/organizations.ts';
import { findBook, getBook, type Book } from './books.ts';

/** Minutes per month in GitHub's plans: https://docs.github.com/en/billing/reference/product-usage-included */
export const includedByPlan = { free: 2_000, pro: 3_000, team: 3_000, enterprise: 50_000 } as const;
export type GitHubPlan = keyof typeof includedByPlan;

export type IncludedInput = { github_plan?: GitHubPlan | null; minutes?: number };
export type PricingChanges = { book_id?: string; included_minutes?: IncludedInput | null };

export type Pricing = {
  book: Book;
  /** Null while nobody has chosen a price list and the default applies. */
  chosenAt: Date | null;
  included: Included | null;
};
export type Included = { githubPlan: GitHubPlan | null; minutes: number };

export async function getPricing(ctx: Pick<Context, 'db' | 'actor' | 'providers'>): Promise<Pricing> {
  const settings = await getPriceSettings(ctx.db, ctx.actor.orgId);
  return {
    book: await getBook(ctx, settings.priceBookId),
    chosenAt: settings.priceBookChosenAt,
    included: includedOf(settings),
  };
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
  const included = included_minutes === undefined ? {} : includedColumns(included_minutes);
  await lockCosts(tx, actor.orgId);
  if (book_id !== undefined && !(await findBook({ db: tx, providers }, actor.orgId, book_id))) {
    throw invalid('body.book_id', 'names no price list of this organization; GET /pricing/books lists them');
  }
  const before = await getPriceSettings(tx, actor.orgId);
  const chosen = book_id !== undefined && { priceBookId: book_id };
  const changed = differences(namedByTheApi(before), namedByTheApi({ ...before, ...chosen, ...included }));
  // Choosing the default changes no price, but it confirms which list applies.
  const isAnswer = book_id !== undefined && before.priceBookChosenAt === null;
  const details = changed ?? (isAnswer ? { book_id } : null);
  if (!details) return getPricing({ db: tx, actor, providers });
  const now = clock.now();
  const isChoice = isAnswer || 'book_id' in details;
  await changePriceSettings(tx, actor.orgId, {
    ...chosen,
    ...included,
    ...(isChoice && { priceBookChosenAt: now }),
    updatedAt: now,
  });
  await recordAudit(tx, ctx, 'pricing.update', actor.orgId, details);
  return getPricing({ db: tx, actor, providers });
}

function namedByTheApi(settings: PriceSettings) {
  const included = includedOf(settings);
  return {
    book_id: settings.priceBookId,
    included_minutes: included && { github_plan: included.githubPlan, minutes: included.minutes },
  };
}

type IncludedColumns = Pick<PriceSettings, 'includedPlan' | 'includedMinutes'>;

function includedColumns(included: IncludedInput | null): IncludedColumns {
  if (included === null) return { includedPlan: null, includedMinutes: null };
  const { github_plan: plan = null, minutes } = included;
  const path = 'body.included_minutes.minutes';
  if (plan === null) {
    if (minutes === undefined) throw invalid(path, 'is required without github_plan');
    return { includedPlan: null, includedMinutes: minutes };
  }
  // Accepts the answer of GET, which names both.
  if (minutes !== undefined && minutes !== includedByPlan[plan]) {
    throw invalid(path, `cannot be combined with the plan ${plan}, which includes ${includedByPlan[plan]}`);
  }
  return { includedPlan: plan, includedMinutes: null };
}

export function includedOf({ includedPlan, includedMinutes }: PriceSettings): Included | null {
  if (includedPlan !== null) return { githubPlan: includedPlan, minutes: includedByPlan[includedPlan] };
  return includedMinutes === null ? null : { githubPlan: null, minutes: includedMinutes };
}

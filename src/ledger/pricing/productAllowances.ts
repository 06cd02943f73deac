import { monthAround, type Day } from '../../platform/lib/days.ts';
import { fraction, type Fraction } from '../../platform/lib/fractions.ts';
import type { Providers } from './provider.ts';
import { holdsOn, type AllowedProduct, type GitHubPlan, type ProductAllowance } from './publishedTerms.ts';
import { heldAt, type BillingTerms } from './terms.ts';

type Facts = { terms: readonly BillingTerms[]; providers: Providers };

/** Other providers' bills are not read. */
const provider = 'github';
const nanos = 1_000_000_000n;

/**
 * What is included of a product in the month of a day, in GB-hours or credits: by the terms at its end, or on the last
 * day that is known. Null if the terms do not say. A GB is included for all hours of the month.
 */
export function productAllowanceIn(
  product: AllowedProduct,
  of: Day,
  { terms, providers }: Facts,
  lastDay: Day,
): Fraction | null {
  const { end, days } = monthAround(of);
  const day = end < lastDay ? end : lastDay;
  const held = heldAt(terms, provider, day);
  if (product === 'ai_credits') {
    const credits = held?.includedCredits ?? null;
    return credits === null ? null : fraction(BigInt(credits));
  }
  const found = planProduct({ product, plan: held?.included?.githubPlan ?? null }, day, providers);
  return found && fraction(found.perMonthNanos * 24n * BigInt(days), nanos);
}

export function planProduct(
  { product, plan }: { product: AllowedProduct; plan: GitHubPlan | null },
  day: Day,
  providers: Providers,
): ProductAllowance | null {
  const { products } = providers.of(provider)!.allowance!;
  const isIt = (each: ProductAllowance) => each.product === product && each.plan === plan;
  return plan === null ? null : (products.findLast((each) => isIt(each) && holdsOn(each, day)) ?? null);
}

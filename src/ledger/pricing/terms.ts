import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { dayOf, type Day } from '../../platform/lib/days.ts';
import { invalid, PublicError, within } from '../../platform/lib/errors.ts';
import { toNanos, usdOrNull } from '../../platform/lib/money.ts';
import { differences, recordAudit } from '../../tenancy/audit/audit.ts';
import { lockCosts } from '../../tenancy/organizations/organizations.ts';
import {
  includedOn,
  includedView,
  readIncluded,
  type ChosenIncluded,
  type Included,
  type IncludedInput,
} from './included.ts';
import { beginning } from './priceBook.ts';
import type { Provider, Providers } from './provider.ts';
import { findTermRows, replaceTermRows, type TermsRow } from './queries.ts';

/** What a provider deducts from its list prices, from a day until its next terms. */
export type BillingTerms = {
  provider: string;
  effectiveFrom: Day;
  included: ChosenIncluded | null;
  /** In hundredths of a percent. */
  discount: number;
  /** Null keeps the price of the price list. */
  creditNanos: bigint | null;
  /** AI credits per month. Null if unknown. */
  includedCredits: number | null;
};

export type TermsInput = {
  provider?: string;
  effective_from?: Day;
  included_minutes?: IncludedInput | null;
  discount_percent?: number;
  usd_per_credit?: number | null;
  included_ai_credits?: number | null;
};

export type OfOrganization = { actor: Pick<Context['actor'], 'orgId'> };

export async function listTerms({
  db,
  actor,
}: Pick<Context, 'db'> & OfOrganization): Promise<BillingTerms[]> {
  return (await findTermRows(db, actor.orgId)).map(termsOf);
}

type TermsPlace = Pick<TermsInput, 'provider'> & { effective_from: Day };
export const maxTerms = 200;

export function setTerms(ctx: Context, inputs: readonly TermsInput[]): Promise<BillingTerms[]> {
  const terms = inputs.map((each, index) => within(`terms[${index}]`, () => readTerms(each, ctx.providers)));
  refuseRepeated(terms);
  return changeTerms(ctx, () => terms);
}

/** Replaces those of the same provider and day. */
export function addTerms(ctx: Context, input: TermsInput): Promise<BillingTerms[]> {
  const added = readTerms(input, ctx.providers);
  return changeTerms(ctx, (stored) => {
    const others = stored.filter((each) => keyOf(each) !== keyOf(added));
    if (others.length >= maxTerms) throw invalid('', `must not add to ${maxTerms} terms`);
    return [...others, added];
  });
}

export function removeTerms(ctx: Context, input: TermsPlace): Promise<BillingTerms[]> {
  const place = placeOf(input);
  return changeTerms(ctx, (stored) => {
    const others = stored.filter((each) => keyOf(each) !== keyOf(place));
    if (others.length < stored.length) return others;
    const message = `There are no terms of ${place.provider} from ${place.effectiveFrom}.`;
    throw new PublicError('not_found', 'billing_terms_not_found', message);
  });
}

/** Changes the stored terms atomically, and so the net cost of past days, because it is computed when shown. */
function changeTerms(
  ctx: Context,
  change: (stored: readonly BillingTerms[]) => readonly BillingTerms[],
): Promise<BillingTerms[]> {
  return ctx.db.transaction().execute(async (tx) => {
    await lockCosts(tx, ctx.actor.orgId);
    const before = await listTerms({ db: tx, actor: ctx.actor });
    const after = change(before).toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
    const viewed = (terms: readonly BillingTerms[]) => ({ terms: terms.map((each) => termsView(each, ctx)) });
    const details = differences(viewed(before), viewed(after));
    if (details) {
      await saveTerms(tx, ctx.actor.orgId, after);
      await recordAudit(tx, ctx, 'billing_terms.update', ctx.actor.orgId, details);
    }
    return after;
  });
}

function placeOf({ provider = 'github', effective_from: effectiveFrom = beginning }: TermsInput) {
  return { provider, effectiveFrom };
}

/** `terms` must be in order. */
export function heldAt(terms: readonly BillingTerms[], provider: string, day: Day): BillingTerms | null {
  return terms.findLast((each) => each.provider === provider && each.effectiveFrom <= day) ?? null;
}

/** With the amount that the chosen plan includes on that day. `terms` must be in order. */
export function termsAt(
  terms: readonly BillingTerms[],
  provider: string,
  day: Day,
  providers: Providers,
): { included: Included | null; discount: number } | null {
  const held = heldAt(terms, provider, day);
  return held && { ...held, included: held.included && includedOn(held.included, provider, day, providers) };
}

/** Changes the included minutes in GitHub's terms of that day, from the first day of these terms. */
export async function setIncluded(
  tx: Transaction,
  orgId: string,
  { terms, included, day }: { terms: readonly BillingTerms[]; included: ChosenIncluded | null; day: Day },
): Promise<void> {
  const held = heldAt(terms, 'github', day) ?? {
    provider: 'github',
    effectiveFrom: beginning,
    discount: 0,
    creditNanos: null,
    includedCredits: null,
  };
  const others = terms.filter((each) => keyOf(each) !== keyOf(held));
  await saveTerms(tx, orgId, [...others, { ...held, included }]);
}

async function saveTerms(tx: Transaction, orgId: string, terms: readonly BillingTerms[]): Promise<void> {
  const rows = terms.map(({ included, ...each }) => ({
    ...each,
    includedPlan: included?.githubPlan ?? null,
    includedUnit: included?.unit ?? 'minutes',
    includedMinutes: included?.minutes ?? null,
    includedNanos: included?.usdNanos ?? null,
    includedDraw: included?.draw ?? 'list_price_ratio',
  }));
  await replaceTermRows(tx, orgId, rows);
}

function termsOf(row: TermsRow): BillingTerms {
  const {
    includedPlan,
    includedUnit: unit,
    includedMinutes,
    includedNanos,
    includedDraw: draw,
    ...each
  } = row;
  if (includedPlan === null && includedMinutes === null && includedNanos === null)
    return { ...each, included: null };
  return {
    ...each,
    included: { githubPlan: includedPlan, unit, minutes: includedMinutes, usdNanos: includedNanos, draw },
  };
}

/** Amounts are today's, or those of the first day of later terms. */
export function termsView(
  { provider, effectiveFrom, included, discount, creditNanos, includedCredits }: BillingTerms,
  { clock, providers }: Pick<Context, 'clock' | 'providers'>,
) {
  const today = dayOf(clock.now());
  const day = effectiveFrom > today ? effectiveFrom : today;
  return {
    provider,
    effective_from: effectiveFrom,
    included_minutes: included && includedView(includedOn(included, provider, day, providers)),
    discount_percent: discount / 100,
    usd_per_credit: usdOrNull(creditNanos),
    included_ai_credits: includedCredits,
  };
}

function readTerms(input: TermsInput, providers: Providers): BillingTerms {
  const { provider, effectiveFrom } = placeOf(input);
  const { discount_percent = 0 } = input;
  const sellers = providers.list.filter(({ kinds }) => kinds.length > 0);
  const seller = sellers.find(({ id }) => id === provider);
  if (!seller) {
    const known = sellers.map(({ id }) => id).join(', ');
    throw invalid('provider', `must be one of: ${known}; the others rent out no runners`);
  }
  const included = readIncluded(input.included_minutes ?? null, seller);
  const discount = Math.round(discount_percent * 100);
  if (discount / 100 !== discount_percent || discount < 0 || discount > 10_000) {
    throw invalid('discount_percent', 'must be from 0 to 100, with at most two decimals');
  }
  const { included_ai_credits: includedCredits = null } = input;
  const hasCredits = seller.allowance?.products.some(({ product }) => product === 'ai_credits') ?? false;
  if (includedCredits !== null && !hasCredits)
    throw invalid('included_ai_credits', `must be null for ${seller.title}, which has none that we know`);
  const creditNanos = readCredit(input, seller);
  return { provider, effectiveFrom, included, discount, creditNanos, includedCredits };
}

function readCredit({ usd_per_credit: usd = null }: TermsInput, { kinds, title }: Provider): bigint | null {
  if (usd === null) return null;
  if (!kinds.some(({ creditsPerMinute }) => creditsPerMinute))
    throw invalid('usd_per_credit', `must be null for ${title}, which does not bill in credits`);
  const nanos = toNanos(usd);
  if (nanos === null) throw invalid('usd_per_credit', 'must have at most nine decimals');
  return nanos;
}

function refuseRepeated(terms: readonly BillingTerms[]): void {
  const seen = new Set<string>();
  for (const [index, { provider, effectiveFrom }] of terms.entries()) {
    const key = keyOf({ provider, effectiveFrom });
    if (seen.has(key)) {
      throw invalid(`terms[${index}]`, `repeats the terms of ${provider} from ${effectiveFrom}`);
    }
    seen.add(key);
  }
}

function keyOf({ provider, effectiveFrom }: Pick<BillingTerms, 'provider' | 'effectiveFrom'>): string {
  return `${provider} ${effectiveFrom}`;
}

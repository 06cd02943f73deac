import { apiFields } from '../../platform/lib/apiFields.ts';
import { dayOf } from '../../platform/lib/days.ts';
import { formatNanos, usd, usdOrNull } from '../../platform/lib/money.ts';
import type { Book, PricedKind } from './books.ts';
import { includedView } from './included.ts';
import { drawRatio, type IncludedMinutes } from './includedMinutes.ts';
import type { PriceBook } from './priceBook.ts';
import type { Providers } from './provider.ts';
import type { Fact } from './publishedTerms.ts';
import type { ShadowRate } from './queries.ts';
import type { Rule } from './rules.ts';
import { runnerTitle } from './runnerWords.ts';
import type { Pricing } from './settings.ts';
import type { ShadowCost } from './shadow.ts';

export function bookView({ book, ...about }: Book, providers: Providers) {
  return {
    ...apiFields(about),
    id: book.id,
    name: book.name,
    ...endView(book),
    prices: Object.entries(book.prices).flatMap(([kind, dated]) =>
      dated.map(({ effectiveFrom, nanosPerMinute }) => ({
        runner_kind: kind,
        title: runnerTitle(kind, providers),
        usd_per_minute: usd(nanosPerMinute),
        effective_from: effectiveFrom,
      })),
    ),
  };
}

export function pricingView({ book: { book }, chosenAt, included }: Pricing) {
  return {
    book: { id: book.id, name: book.name, ...endView(book), chosen_at: chosenAt },
    included_minutes: includedView(included),
  };
}

function endView({ end }: PriceBook) {
  return { last_day: end?.lastDay ?? null, next_book_id: end?.nextBookId ?? null };
}

export function runnerKindView({ kind, provider, nanosPerMinute }: PricedKind, providers: Providers) {
  return {
    runner_kind: kind.id,
    title: kind.title,
    provider,
    provider_title: provider === null ? null : providers.of(provider)!.title,
    usd_per_minute: usdOrNull(nanosPerMinute),
  };
}

export function ruleView(rule: Rule) {
  return {
    ...apiFields(rule),
    usd_per_minute: usdOrNull(rule.nanosPerMinute),
    later_rates: rule.laterRates.map(({ effectiveFrom, nanosPerMinute }) => ({
      effective_from: effectiveFrom,
      usd_per_minute: usd(nanosPerMinute),
    })),
  };
}

export function shadowRateView(rate: ShadowRate) {
  return { ...apiFields(rate), usd_per_minute: usd(rate.nanosPerMinute) };
}

export function shadowView({ period, total, workflows, runnerKinds }: ShadowCost, providers: Providers) {
  return {
    period,
    total: shadowSums(total),
    runner_kinds: runnerKinds.map((entry) => ({
      ...shadowSums(entry),
      title: runnerTitle(entry.runnerKind, providers),
    })),
    workflows: workflows.map((entry) => ({ ...shadowSums(entry), repo_name: entry.repository })),
  };
}

function shadowSums<Sums extends ShadowCost['total']>(sums: Sums) {
  return { ...apiFields(sums), shadow_cost: usd(sums.shadowNanos) };
}

/** Free uses, plans, rules of use and other products in one list. */
export function publishedTermsView({ list }: Providers) {
  return list.flatMap(({ id: provider, allowance }) => {
    if (allowance === null) return [];
    const none = { github_plan: null, unit: null, per_month: null, draw: null, product: null };
    return [
      ...allowance.freeUses.map((use) => ({
        provider,
        about: 'free_use' as const,
        ...none,
        ...factView(use),
      })),
      ...allowance.plans.map(({ plan, unit, perMonth, ...fact }) => ({
        provider,
        about: 'plan' as const,
        ...none,
        github_plan: plan,
        unit,
        per_month: unit === 'usd' ? Number(formatNanos(perMonth)) : Number(perMonth),
        ...factView(fact),
      })),
      ...allowance.draws.map(({ draw, ...fact }) => ({
        provider,
        about: 'draw' as const,
        ...none,
        draw,
        ...factView(fact),
      })),
      ...allowance.products.map(({ product, plan, perMonthNanos, ...fact }) => ({
        provider,
        about: 'product' as const,
        ...none,
        github_plan: plan,
        product,
        per_month: Number(formatNanos(perMonthNanos)),
        ...factView(fact),
      })),
    ];
  });
}

function factView({ title, firstDay, lastDay, source, checkedOn, status }: Fact) {
  return { title, first_day: firstDay, last_day: lastDay, source, checked_on: checkedOn, status };
}

export function includedMinutesView(found: IncludedMinutes, now: Date, providers: Providers) {
  const { included, unitNanos } = found;
  const used = found.usedHundredths / 100;
  const remaining = included && Math.max(0, included.minutes * 100 - found.usedHundredths) / 100;
  const usdNanos = included?.usdNanos ?? null;
  const usedNanos = usdNanos === null ? null : (found.used.part * unitNanos) / found.used.whole;
  const leftNanos = usdNanos === null ? null : usedNanos! < usdNanos ? usdNanos - usedNanos! : 0n;
  return {
    provider: found.provider,
    provider_title: providers.of(found.provider)!.title,
    included_minutes: includedView(included),
    unit: included?.unit ?? 'minutes',
    month: found.month,
    used_minutes: used,
    remaining_minutes: remaining,
    used_usd: usdOrNull(usedNanos),
    remaining_usd: usdOrNull(leftNanos),
    is_exhausted: found.isExhausted,
    exhausted_on: found.exhaustedOn,
    runner_kinds: found.runnerKinds.map(({ runnerKind, minutes, usedHundredths }) => ({
      runner_kind: runnerKind,
      title: runnerTitle(runnerKind, providers),
      minutes,
      ratio: Math.round(drawRatio(runnerKind, dayOf(now), providers, included?.draw) * 1_000) / 1_000,
      used_minutes: usedHundredths / 100,
    })),
    is_estimate: true,
  };
}

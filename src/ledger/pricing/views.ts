import { dayOf } from '../../platform/lib/days.ts';
import { usd, usdOrNull } from '../../platform/lib/money.ts';
import type { Book, PricedKind } from './books.ts';
import { drawRatio, type IncludedMinutes } from './includedMinutes.ts';
import type { PriceBook } from './priceBook.ts';
import type { Providers } from './provider.ts';
import type { ShadowRate } from './queries.ts';
import type { Rule } from './rules.ts';
import { runnerTitle } from './runnerWords.ts';
import type { Pricing } from './settings.ts';
import type { ShadowCost } from './shadow.ts';
import type { Included } from './terms.ts';

export function bookView(
  { book, isShipped, isChosen, basedOn, createdAt, updatedAt }: Book,
  providers: Providers,
) {
  return {
    id: book.id,
    name: book.name,
    is_shipped: isShipped,
    is_chosen: isChosen,
    based_on: basedOn,
    ...endView(book),
    prices: Object.entries(book.prices).flatMap(([kind, dated]) =>
      dated.map(({ effectiveFrom, nanosPerMinute }) => ({
        runner_kind: kind,
        title: runnerTitle(kind, providers),
        usd_per_minute: usd(nanosPerMinute),
        effective_from: effectiveFrom,
      })),
    ),
    created_at: createdAt,
    updated_at: updatedAt,
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
    id: rule.id,
    position: rule.position,
    match: rule.match,
    pattern: rule.pattern,
    runner_kind: rule.runnerKind,
    name: rule.name,
    usd_per_minute: usdOrNull(rule.nanosPerMinute),
    later_rates: rule.laterRates.map(({ effectiveFrom, nanosPerMinute }) => ({
      effective_from: effectiveFrom,
      usd_per_minute: usd(nanosPerMinute),
    })),
    rounding: rule.rounding,
    created_at: rule.createdAt,
    updated_at: rule.updatedAt,
  };
}

export function shadowRateView({ runnerKind, effectiveFrom, nanosPerMinute }: ShadowRate) {
  return {
    runner_kind: runnerKind,
    usd_per_minute: usd(nanosPerMinute),
    effective_from: effectiveFrom,
  };
}

export function shadowView({ period, total, workflows, runnerKinds }: ShadowCost, providers: Providers) {
  return {
    period: { start: period.start, end: period.end, days: period.days },
    total: shadowSums(total),
    runner_kinds: runnerKinds.map((entry) => ({
      runner_kind: entry.runnerKind,
      title: runnerTitle(entry.runnerKind, providers),
      ...shadowSums(entry),
    })),
    workflows: workflows.map((entry) => ({
      workflow_id: entry.workflowId,
      workflow_name: entry.workflowName,
      repo_name: entry.repository,
      ...shadowSums(entry),
    })),
  };
}

function shadowSums({ minutes, unratedMinutes, shadowNanos }: ShadowCost['total']) {
  return { minutes, unrated_minutes: unratedMinutes, shadow_cost: usd(shadowNanos) };
}

export function includedMinutesView(found: IncludedMinutes, now: Date, providers: Providers) {
  const used = found.usedHundredths / 100;
  const remaining = found.included && Math.max(0, found.included.minutes * 100 - found.usedHundredths) / 100;
  return {
    included_minutes: includedView(found.included),
    month: { start: found.month.start, end: found.month.end },
    used_minutes: used,
    remaining_minutes: remaining,
    is_exhausted: found.isExhausted,
    exhausted_on: found.exhaustedOn,
    runner_kinds: found.runnerKinds.map(({ runnerKind, minutes, usedHundredths }) => ({
      runner_kind: runnerKind,
      title: runnerTitle(runnerKind, providers),
      minutes,
      ratio: Math.round(drawRatio(runnerKind, dayOf(now), providers) * 1_000) / 1_000,
      used_minutes: usedHundredths / 100,
    })),
    is_estimate: true,
  };
}

function includedView(included: Included | null) {
  return included && { github_plan: included.githubPlan, minutes: included.minutes };
}

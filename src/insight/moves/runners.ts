import { priceRecorded, type RunnerPrice } from '../../ledger/pricing/cost.ts';
import { readPattern } from '../../ledger/pricing/linearPattern.ts';
import { priceOn } from '../../ledger/pricing/priceBook.ts';
import { listedPriceAt, type PriceList } from '../../ledger/pricing/priceList.ts';
import type { Provider, RateHint } from '../../ledger/pricing/provider.ts';
import { customName } from '../../ledger/pricing/runnerWords.ts';
import type { getShadowRates } from '../../ledger/pricing/shadow.ts';
import type { Day } from '../../platform/lib/days.ts';

/** Where a rate comes from. A hint is no price of the organization: texts name its company and date. */
type Source = { type: 'price_list' } | { type: 'shadow_rate' } | { type: 'hint'; hint: RateHint };

export type Price = Pick<
  RunnerPrice,
  'nanosPerMinute' | 'rounding' | 'creditsPerMinute' | 'parallelism' | 'timeLimitMinutes'
> & { source: Source };

/** One kind of machine. Labels distinguish what one runner kind has together, such as self-hosted machines. */
export type Runner = {
  key: string;
  kind: string | null;
  title: string;
  architecture: 'x64' | 'arm64' | null;
  /** Null if we know no price. */
  price: Price | null;
};

type Recorded = {
  provider: string;
  labels: readonly string[];
  runnerGroup: string | null;
  runnerKind: string | null;
};

/** Kinds that have many sorts of machines. */
const isMixed = (kind: string | null) => kind === null || kind === 'self_hosted' || kind === 'third_party';

export function runnerKey(kind: string | null, labels: readonly string[]): string {
  if (!isMixed(kind)) return kind!;
  const sorted = labels.map((label) => label.toLowerCase()).toSorted();
  return [kind ?? 'unknown', ...new Set(sorted)].join(' ');
}

type ShadowRates = Awaited<ReturnType<typeof getShadowRates>>;

export type PriceBasis = { list: PriceList; shadowRates: ShadowRates; day: Day };

export function recordedRunner(recorded: Recorded, basis: PriceBasis): Runner {
  const { list, day } = basis;
  const { labels } = recorded;
  const found = priceRecorded(recorded, list, day);
  const { kind } = found;
  const key = runnerKey(kind, labels);
  const title =
    !isMixed(kind) || labels.length === 0
      ? (list.providers.kind(kind ?? '')?.title ?? customName(kind ?? '') ?? 'Unknown runner')
      : labels.join(', ');
  const runner = { key, kind, title, architecture: list.providers.kind(kind ?? '')?.architecture ?? null };
  // Machines at $0 a minute cost something that the list does not say.
  if (found.hasPrice && found.nanosPerMinute > 0n)
    return { ...runner, price: { ...found, source: { type: 'price_list' } } };
  return { ...runner, price: shadowPrice(kind, found, basis) ?? hintedPrice(recorded, basis) };
}

function shadowPrice(
  kind: string | null,
  found: RunnerPrice,
  { shadowRates, day }: PriceBasis,
): Price | null {
  const rates = shadowRates
    .filter(({ runnerKind }) => runnerKind === kind)
    .toSorted((a, b) => (a.effectiveFrom < b.effectiveFrom ? -1 : 1));
  const rate = priceOn(rates, day);
  return rate && { ...found, nanosPerMinute: rate.nanosPerMinute, source: { type: 'shadow_rate' } };
}

function hintedPrice({ provider, labels }: Recorded, { list: { providers }, day }: PriceBasis): Price | null {
  const hint = providers.of(provider)?.rateHints.find(({ pattern }) => {
    const read = readPattern(pattern);
    return 'matches' in read && labels.some(read.matches);
  });
  return hint ? priceOfHint(hint, day) : null;
}

export function priceOfHint(hint: RateHint, day: Day): Price | null {
  const rate = priceOn(hint.rates, day);
  if (!rate) return null;
  const { nanosPerMinute } = rate;
  return {
    nanosPerMinute,
    rounding: hint.rounding,
    creditsPerMinute: null,
    parallelism: 1,
    timeLimitMinutes: null,
    source: { type: 'hint', hint },
  };
}

/** A runner of the provider that no job may have used yet. */
export function runnerOfKind(
  { rounding, timeLimit }: Provider,
  kind: string,
  { list, day }: PriceBasis,
): Runner {
  const dated = listedPriceAt(list, kind, day);
  const { title, creditsPerMinute = null, architecture = null } = list.providers.kind(kind)!;
  const price = dated && {
    nanosPerMinute: dated.nanosPerMinute,
    rounding,
    creditsPerMinute,
    parallelism: 1,
    timeLimitMinutes: timeLimit?.minutesOf?.[kind] ?? timeLimit?.minutes ?? null,
    source: { type: 'price_list' as const },
  };
  return { key: kind, kind, title, architecture, price };
}

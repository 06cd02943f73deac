import type { Provider, RunnerKind } from '../../ledger/pricing/provider.ts';
import { compare } from '../../platform/lib/lists.ts';
import type { TimedJob, Use } from './jobs.ts';
import { priceOfHint, runnerOfKind, type PriceBasis, type Runner } from './runners.ts';
import { minRuns } from './speed.ts';

/** Why a job cannot run on another runner. */
export const obstacles = ['architecture', 'docker', 'time_limit', 'system'] as const;
export type Obstacle = (typeof obstacles)[number];

/** `cheaper` is what the obstacle keeps the job from. */
export type Trial = { to: Runner } | { stays: Obstacle; cheaper: Runner | null };

/** A runner with less than half of the cores rarely saves, however cheap it is. */
const maxFewerCores = 2;

/**
 * Cheaper runners that the job could try: at most one of its own provider and one of another company. Only machines that
 * differ in one respect, because somebody must find out what a failure is about.
 */
export function trialsOf(job: TimedJob, use: Use, basis: PriceBasis): Trial[] {
  const { providers } = basis.list;
  const kind = providers.kind(use.runner.kind ?? '');
  const provider = providers.ofKind(use.runner.kind ?? '');
  if (!provider || !kind?.system || kind.cores === null || !use.runner.price) return [];
  return [...ownTrial(job, use, { kind, provider, basis }), ...hintTrial(use.runner, provider, basis)];
}

type Place = { kind: RunnerKind; provider: Provider; basis: PriceBasis };

function ownTrial(job: TimedJob, use: Use, { kind, provider, basis }: Place): Trial[] {
  const cheaper = provider.kinds
    .filter((other) => isComparable(kind, other))
    .map((other) => ({ other, to: runnerOfKind(provider, other.id, basis) }))
    .filter(({ to }) => isCheaper(to, use.runner))
    .toSorted((a, b) => byRate(a.to, b.to));
  const found = cheaper.map(({ other, to }) => ({ to, stays: obstacleTo(job, use, { kind, other, to }) }));
  const free = found.find(({ stays }) => stays === null);
  if (free) return [{ to: free.to }];
  const [nearest] = found;
  if (nearest) return [{ stays: nearest.stays!, cheaper: nearest.to }];
  return kind.system === 'linux' ? [] : [{ stays: 'system', cheaper: null }];
}

function isComparable(kind: RunnerKind, other: RunnerKind): boolean {
  if (other.id === kind.id || other.system !== kind.system || other.hasGpu !== kind.hasGpu) return false;
  if (other.cores === null || other.cores > kind.cores! || other.cores * maxFewerCores < kind.cores!)
    return false;
  return other.cores === kind.cores || other.architecture === kind.architecture;
}

function isCheaper({ price }: Runner, { price: now }: Runner): boolean {
  return price !== null && price.nanosPerMinute < now!.nanosPerMinute;
}

function byRate(a: Runner, b: Runner): number {
  return compare(a.price!.nanosPerMinute, b.price!.nanosPerMinute) || compare(a.key, b.key);
}

const x64Name = /(?<![a-z0-9])(x64|x86|x86_64|amd64|i?386|intel)(?![a-z0-9])/i;
const armName = /(?<![a-z0-9])(arm|arm64|aarch64|armv\d|apple)(?![a-z0-9])/i;
const dockerName = /docker|container|compose|buildx|kaniko|podman|(?<![a-z])images?(?![a-z])/i;

/** What the records say against it. Files can say more, so it stays a trial. */
function obstacleTo(
  { name }: TimedJob,
  { passed }: Use,
  { kind, other, to }: { kind: RunnerKind; other: RunnerKind; to: Runner },
): Obstacle | null {
  if (other.architecture !== kind.architecture && (x64Name.test(name) || armName.test(name)))
    return 'architecture';
  if (other.lacksDocker && !kind.lacksDocker && dockerName.test(name)) return 'docker';
  const limit = to.price!.timeLimitMinutes;
  const slower = kind.cores! / other.cores!;
  const longest = passed.reduce((most, ms) => Math.max(most, ms), 0);
  return limit !== null && longest * slower > limit * 60_000 ? 'time_limit' : null;
}

/** The cheapest machine of the same size that another company rents out, by what we read of its prices. */
function hintTrial(runner: Runner, { rateHints }: Provider, { day }: PriceBasis): Trial[] {
  const [cheapest] = rateHints
    .filter(({ sizeOf }) => sizeOf !== null && sizeOf === runner.kind)
    .map((hint) => ({
      key: hint.id,
      kind: 'third_party',
      title: hint.name,
      architecture: runner.architecture,
      price: priceOfHint(hint, day),
    }))
    .filter((to) => isCheaper(to, runner))
    .toSorted(byRate);
  return cheapest ? [{ to: cheapest }] : [];
}

/** Whether enough is known of what a trial would try. */
export function isTried({ uses }: TimedJob, { key, price: tried }: Runner): boolean {
  const hint = tried?.source.type === 'hint' ? tried.source.hint : null;
  return uses.some(({ runner, passed }) => {
    const source = runner.price?.source;
    const isOfHint = hint !== null && source?.type === 'hint' && source.hint.id === hint.id;
    return passed.length >= minRuns && (runner.key === key || isOfHint);
  });
}

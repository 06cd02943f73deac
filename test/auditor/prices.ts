/** What a job costs at list prices, from the words of docs/reference/prices.md, runners.md and costs.md. */
import { readFileSync } from 'node:fs';
import { completed, dayOf, nanosOf, type Job } from './history.ts';

export type Rule = {
  id: string;
  match: 'label' | 'regex' | 'runner_group';
  pattern: string;
  runner_kind?: string;
  name?: string;
  usd_per_minute?: number;
  later_rates?: { effective_from: string; usd_per_minute: number }[];
  rounding?: 'minute' | 'second';
};

export type Pricing = { list: string; rules: readonly Rule[] };

export type Price = {
  kind: string | null;
  isUnpriced: boolean;
  minutes: number;
  /** What the job's time costs, and what rounding adds to it. */
  nanos: bigint;
  /** Milliseconds that are paid, without rounding. */
  ms: number;
  nanosPerMinute: bigint;
  isBySecond: boolean;
  /** At a rate of the organization's own, which no provider bills. */
  isOwnRate: boolean;
};

const page = readFileSync(new URL('../../docs/reference/prices.md', import.meta.url), 'utf8');
/** The prices until 2025 and from 2026 of each runner kind. */
const published = new Map(
  [...page.matchAll(/^\| `(\w+)` +\|[^|]+\| *([\d.]+) \| *([\d.]+) \|$/gm)].map(([, kind, before, after]) => [
    kind!,
    [nanosOf(before!), nanosOf(after!)] as const,
  ]),
);
const newYear = '2026-01-01';

export function listPrice(list: string, kind: string, day: string): bigint | undefined {
  const prices = published.get(kind);
  if (list === 'github_2025') return prices?.[0];
  if (list === 'github_2026') return prices?.[1];
  if (list === 'github_by_date') return prices?.[day < newYear ? 0 : 1];
  throw new Error(`the auditor does not know the price list ${list}`);
}

export const isGitHub = (provider: string): boolean => /^github(\.|$)/.test(provider);
const readsGitHubLabels = (provider: string): boolean =>
  isGitHub(provider) || ['api', 'otlp'].includes(provider);

const thirdParties =
  /^(depot-|blacksmith-\d+vcpu-|warp-|buildjet-|ubicloud$|ubicloud-|namespace-profile-|nscloud-|runs-on[=/]|cirun-)/;
const standardLabels: [RegExp, string][] = [
  [/^ubuntu-slim$/, 'linux_slim'],
  [/^ubuntu-(latest|\d\d\.\d\d)$/, 'linux_2_core'],
  [/^ubuntu-(latest|\d\d\.\d\d)-arm$/, 'linux_2_core_arm'],
  [/^windows-(latest|\d+(-vs\d{4})?)-arm$/, 'windows_2_core_arm'],
  [/^windows-(latest|\d{4})(-vs\d{4})?$/, 'windows_2_core'],
  [/^macos-(latest|\d+)(-intel|-arm)?$/, 'macos_3_core'],
  [/^macos-(latest|\d+)-large$/, 'macos_12_core'],
  [/^((macos-(latest|\d+))|xcode-\d+)-xlarge$/, 'macos_5_core_arm'],
];

const labelsOf = ({ labels }: Job): string[] => (labels ?? []).map((label) => label.toLowerCase());
const isSelfHosted = (job: Job): boolean =>
  labelsOf(job).includes('self-hosted') || job.group?.toLowerCase() === 'default';

/** What the runner's name or group says, whatever its labels. */
const isHostedByGitHub = ({ group, runnerName }: Job): boolean =>
  group?.toLowerCase() === 'github actions' ||
  /^(GitHub Actions |GitHub-hosted|Hosted Agent)/.test(runnerName ?? '');

/** By the provider's rules, without those of the organization. */
function kindByLabels(provider: string, job: Job): string | null {
  const labels = labelsOf(job);
  if (!job.runnerName && labels.length === 1 && published.has(labels[0]!)) return labels[0]!;
  if (!readsGitHubLabels(provider)) return null;
  const group = job.group?.toLowerCase();
  const isHosted = isHostedByGitHub(job);
  if (!isHosted && labels.some((label) => thirdParties.test(label))) return 'third_party';
  if (!isHosted && isSelfHosted(job)) return 'self_hosted';
  if (isHosted || !group)
    for (const [label, kind] of standardLabels) if (labels.some((each) => label.test(each))) return kind;
  for (const label of labels) {
    const [, system, cores] = /^(ubuntu|linux|windows).*?(\d+)[-_ ]?cores?/.exec(label) ?? [];
    if (!system) continue;
    const type = /arm/.test(label) ? '_arm' : /gpu/.test(label) ? '_gpu' : '';
    const kind = `${system === 'windows' ? system : 'linux'}_${cores}_core${type}`;
    if (published.has(kind)) return cores === '2' && system !== 'windows' ? `${kind}_advanced` : kind;
  }
  return null;
}

/** Minutes after which a provider stops jobs on its own runners, and ten more. */
function limitOf(provider: string, kind: string | null, isHosted: boolean): number {
  if (!isHosted && (kind === null || !isRentedBy(provider, kind))) return Infinity;
  if (isGitHub(provider)) return kind === 'linux_slim' ? 25 : 370;
  return { gitlab: 190, circleci: 310 }[provider] ?? Infinity;
}

/** Whether the provider of the run rents out such runners. */
export function isRentedBy(provider: string, kind: string): boolean {
  if (/^(self_hosted|third_party|custom:)/.test(kind)) return false;
  const owner = /^(gitlab|circleci|buildkite)_/.exec(kind)?.[1] ?? 'github';
  return owner === 'github' ? isGitHub(provider) : owner === provider;
}

function matches({ match, pattern }: Rule, job: Job): boolean {
  if (match === 'runner_group') return job.group?.toLowerCase() === pattern.toLowerCase();
  const isIn = match === 'label' ? (label: string) => label === pattern.toLowerCase() : regexOf(pattern);
  return labelsOf(job).some(isIn);
}

function regexOf(pattern: string): (label: string) => boolean {
  const regex = new RegExp(pattern, 'i');
  return (label) => regex.test(label);
}

const centsPerCredit = 600_000n;

export function priceOf(provider: string, job: Job, { list, rules }: Pricing): Price | null {
  const { status, startedAt, completedAt, conclusion, ran } = job;
  if (status !== completed || completedAt === null) return null;
  const day = dayOf(completedAt);
  const rule = rules.find((each) => matches(each, job));
  const own = kindByLabels(provider, job);
  const kind = rule ? (rule.runner_kind ?? `custom:${rule.name}`) : own;
  const later = rule?.later_rates?.findLast((each) => each.effective_from <= day);
  const rate = later?.usd_per_minute ?? rule?.usd_per_minute;
  const listed = kind === null ? undefined : listPrice(list, kind, day);
  const price = rate === undefined ? listed : nanosOf(rate);
  const took =
    startedAt === null || !ran || conclusion === 'skipped' ? 0 : Math.max(0, completedAt - startedAt);
  // Labels of runs without a provider mean GitHub's runners. A rule can say what an unknown label is, but not whose.
  const owner = readsGitHubLabels(provider) ? 'github' : provider;
  const limit = isSelfHosted(job)
    ? Infinity
    : limitOf(owner, own ?? kind, own === null && isHostedByGitHub(job));
  const ms = Math.min(took, limit * 60_000);
  const minutes = Math.ceil(ms / 60_000);
  const nanosPerMinute = price ?? 0n;
  const isBySecond =
    (rule?.rounding ?? (/^(gitlab|circleci|buildkite)/.test(provider) ? 'second' : 'minute')) === 'second';
  let nanos = nanosPerMinute * BigInt(minutes);
  if (isBySecond) {
    const seconds = BigInt(Math.ceil(ms / 1_000));
    nanos = (nanosPerMinute * seconds * 2n + 60n) / 120n;
    if (kind?.startsWith('circleci_') && !rule?.rounding && rate === undefined) {
      const perCredit = 60n * centsPerCredit;
      nanos = ((nanosPerMinute * seconds + perCredit - 1n) / perCredit) * centsPerCredit;
    }
  }
  return {
    kind,
    isUnpriced: price === undefined,
    minutes,
    nanos,
    ms,
    nanosPerMinute,
    isBySecond,
    isOwnRate: rate !== undefined,
  };
}

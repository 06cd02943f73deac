import { apiFields } from '../../platform/lib/apiFields.ts';
import { formatNanos, usd, type Nanos } from '../../platform/lib/money.ts';
import type { BookNames } from '../pricing/books.ts';
import { costOf, creditsOf, minutesOverLimit } from '../pricing/cost.ts';
import { listNameOf, type Providers, type RunPages } from '../pricing/provider.ts';
import { customName, explainRunner, runnerTitle } from '../pricing/runnerWords.ts';
import { costOfAmounts } from './amounts.ts';
import { runIdOf, type StoredJob } from './history.ts';
import type { DetailedRun, ListedOfKind } from './reading.ts';

export function listedRunView(run: ListedOfKind) {
  return { ...apiFields(run), repo_name: run.repository };
}

export function detailedRunView(
  { run, jobs, jobCount, amounts, bookNames }: DetailedRun,
  providers: Providers,
) {
  const pages = runPages(run, providers);
  return {
    ...apiFields(run),
    amounts: amounts.map(apiFields),
    cost_with_amounts: usd(run.costNanos + costOfAmounts(amounts)),
    workflow: { id: run.workflowId, name: run.workflowName },
    url: pages.run,
    pages: apiFields(pages),
    job_count: jobCount,
    jobs: jobs.map((job) => jobView({ ...job, provider: run.provider }, bookNames, providers)),
  };
}

type Placed = Pick<
  DetailedRun['run'],
  'id' | 'provider' | 'repository' | 'event' | 'branch' | 'commit' | 'pullRequest'
>;

/** The page of a pull request at its provider. */
export function pullRequestPage(
  { provider, repository, number }: { provider: string; repository: string; number: number },
  providers: Providers,
): string | null {
  const unnamed = { id: '', event: null, branch: null, commit: null };
  return runPages({ ...unnamed, provider, repository, pullRequest: number }, providers).pullRequest;
}

export function runPages(run: Placed, providers: Providers): RunPages {
  const { id, provider, repository, event, branch, commit, pullRequest } = run;
  const runId = id.slice(runIdOf({ provider, runId: '' }).length);
  const host = provider.split('.').slice(1).join('.') || null;
  const placed = { host, runId, repository, branch, commit, pullRequest };
  // With such a path, a browser would leave the repository's pages.
  const hasDots = repository.split('/').some((part) => part === '.' || part === '..');
  const pages = hasDots ? null : providers.of(provider)?.pagesOf(placed);
  // Without a number, the pull request may come from a fork, and the branch is then in the fork.
  const isElsewhere = pullRequest === null && /^(pull|merge)_request/.test(event ?? '');
  return {
    run: pages?.run ?? null,
    repository: pages?.repository ?? null,
    branch: isElsewhere || branch?.startsWith('refs/') ? null : (pages?.branch ?? null),
    commit: pages?.commit ?? null,
    pullRequest: pages?.pullRequest ?? null,
  };
}

type JobOfRun = DetailedRun['jobs'][number] & { provider: string };

function jobView({ provider, ...job }: JobOfRun, bookNames: DetailedRun['bookNames'], providers: Providers) {
  const receipt = receiptOf({ ...job, provider }, bookNames, providers);
  return {
    ...apiFields(job),
    receipt: {
      ...apiFields(receipt),
      runner_title: receipt.runnerKind === null ? null : runnerTitle(receipt.runnerKind, providers),
      price_per_minute: usd(receipt.nanosPerMinute),
    },
  };
}

type Receipt = {
  seconds: number;
  billedMinutes: number;
  isCut: boolean;
  runnerKind: string | null;
  runnerRule: string;
  runnerRuleText: string;
  nanosPerMinute: Nanos;
  rounding: StoredJob['rounding'];
  /** Null if the provider does not bill this runner in credits. */
  credits: number | null;
  parallelism: number;
  priceBook: { name: string; row: string } | null;
  costNanos: Nanos;
  isCarriedOver: boolean;
  isUnpriced: boolean;
  sentence: string;
};

/** Describes the stored price and never prices the job again. */
function receiptOf(job: JobOfRun, bookNames: BookNames, providers: Providers): Receipt {
  const { runnerKind, runnerRule, flags } = job;
  const confidence = flags.includes('guessed_runner') ? 'guessed' : 'certain';
  return {
    seconds: secondsOf(job),
    billedMinutes: job.billedMinutes,
    isCut: isCut(job),
    runnerKind,
    runnerRule,
    runnerRuleText: explainRunner({ ...job, kind: runnerKind, rule: runnerRule, confidence }, providers),
    nanosPerMinute: job.nanosPerMinute,
    rounding: job.rounding,
    ...creditsIn(job, providers),
    priceBook: priceBookOf(job, bookNames, providers),
    costNanos: job.costNanos,
    isCarriedOver: job.isCarriedOver,
    isUnpriced: job.isUnpriced,
    sentence: `${explainMinutes(job, providers)}: ${dollars(job.costNanos)}`,
  };
}

/** A rule can have another rounding: then the cost is not that of the credits. */
function creditsIn(job: JobOfRun, providers: Providers): Pick<Receipt, 'credits' | 'parallelism'> {
  const parallelism = providers.of(job.provider)?.parallelismOf?.(job) ?? 1;
  const billedSeconds = Math.min(Math.ceil(secondsOf(job)), job.billedMinutes * 60);
  const { creditsPerMinute = null } = (job.runnerKind && providers.kind(job.runnerKind)) || {};
  const none = { credits: null, parallelism };
  if (creditsPerMinute === null || job.isUnpriced || job.costNanos === 0n) return none;
  const time = { minutes: job.billedMinutes, seconds: billedSeconds };
  if (costOf({ ...job, creditsPerMinute, parallelism }, time) !== job.costNanos) return none;
  return { ...none, credits: parallelism * creditsOf(billedSeconds, creditsPerMinute) };
}

function priceBookOf(job: StoredJob, bookNames: BookNames, providers: Providers): Receipt['priceBook'] {
  const { runnerKind, priceBookId } = job;
  if (runnerKind === null || !job.completedAt || job.isUnpriced) return null;
  if (customName(runnerKind) !== null) {
    return { name: "the organization's rules", row: runnerTitle(runnerKind, providers) };
  }
  const book = { id: priceBookId, name: bookNames.get(priceBookId) ?? priceBookId };
  return { name: listNameOf(book, runnerKind, providers), row: runnerTitle(runnerKind, providers) };
}

function secondsOf({ status, startedAt, completedAt }: StoredJob): number {
  if (status !== 'completed' || !startedAt || !completedAt) return 0;
  return Math.max(0, completedAt.getTime() - startedAt.getTime()) / 1_000;
}

function explainMinutes(job: JobOfRun, providers: Providers): string {
  if (job.status !== 'completed') return 'It has not completed yet';
  if (job.isCarriedOver) return 'It is copied from an earlier attempt, which pays for it';
  if (job.billedMinutes > 0) {
    const { credits, parallelism } = creditsIn(job, providers);
    const atOnce = parallelism > 1 ? ` in each of ${parallelism} parallel runs` : '';
    const inCredits = credits === null ? '' : `, ${formatNumber(credits)} credits,`;
    return `${roundedUp(job)}${atOnce}${inCredits} ${pricedAs(job, providers)}`;
  }
  if (job.rawConclusion === 'skipped') return 'It was skipped';
  if (job.ran === false) return 'No runner took it';
  if (!job.startedAt || !job.completedAt) return 'It never started';
  if (job.completedAt < job.startedAt) return 'It ended before it started, which counts as 0 s';
  return 'It took 0 s';
}

/** Whether it took longer than its provider can bill. */
function isCut(job: StoredJob): boolean {
  return job.billedMinutes > 0 && secondsOf(job) > job.billedMinutes * 60;
}

function roundedUp(job: StoredJob): string {
  const seconds = secondsOf(job);
  if (isCut(job)) {
    const limit = durationText(job.billedMinutes - minutesOverLimit);
    return `${formatNumber(seconds)} s are billed as ${formatNumber(job.billedMinutes)} minutes (the provider's limit of ${limit} plus ${minutesOverLimit} minutes)`;
  }
  if (job.rounding === 'second') return `${formatNumber(Math.ceil(seconds))} s`;
  const verb = seconds === job.billedMinutes * 60 ? 'are' : seconds === 1 ? 'rounds up to' : 'round up to';
  return `${formatNumber(seconds)} s ${verb} ${formatNumber(job.billedMinutes)} minute${job.billedMinutes === 1 ? '' : 's'}`;
}

function durationText(minutes: number): string {
  return minutes % 60 === 0 ? `${minutes / 60} hours` : `${minutes} minutes`;
}

function pricedAs(
  { isUnpriced, runnerKind, nanosPerMinute, rounding }: StoredJob,
  providers: Providers,
): string {
  if (isUnpriced || runnerKind === null) return 'on a runner without a price';
  if (runnerKind === 'third_party') return 'on a third-party runner, whose price we do not know';
  const runner = runnerKind === 'self_hosted' ? 'a self-hosted runner' : runnerTitle(runnerKind, providers);
  return `of ${runner} at ${dollars(nanosPerMinute)}${rounding === 'second' ? ' per minute' : ''}`;
}

function formatNumber(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 3 });
}

export function dollars(nanos: Nanos): string {
  const [whole, decimals = ''] = formatNanos(nanos).split('.');
  return `$${BigInt(whole!).toLocaleString('en-US')}.${decimals.padEnd(2, '0')}`;
}

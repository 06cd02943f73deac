import { formatNanos, type Nanos } from '../../platform/lib/money.ts';
import type { BookNames } from '../pricing/books.ts';
import { listNameOf } from '../pricing/priceBook.ts';
import { customName } from '../pricing/priceList.ts';
import { explainRunner, runnerTitle } from '../pricing/runnerWords.ts';
import type { StoredJob } from './history.ts';

/** How a job's cost came about, from what was stored when it was priced. */
export type Receipt = {
  /** From start to completion, to the millisecond. */
  seconds: number;
  billedMinutes: number;
  runnerKind: string | null;
  runnerRule: string;
  runnerRuleText: string;
  nanosPerMinute: Nanos;
  rounding: StoredJob['rounding'];
  priceBook: { name: string; row: string } | null;
  costNanos: Nanos;
  isCarriedOver: boolean;
  isUnpriced: boolean;
  sentence: string;
};

/** The receipt of a job. It tells what was billed, and never prices the job anew. */
export function receiptOf(job: StoredJob, bookNames: BookNames): Receipt {
  const { runnerKind, runnerRule, flags } = job;
  const isGuessed = flags.includes('guessed_runner');
  return {
    seconds: secondsOf(job),
    billedMinutes: job.billedMinutes,
    runnerKind,
    runnerRule,
    runnerRuleText: explainRunner({ ...job, kind: runnerKind, rule: runnerRule, isGuessed }),
    nanosPerMinute: job.nanosPerMinute,
    rounding: job.rounding,
    priceBook: priceBookOf(job, bookNames),
    costNanos: job.costNanos,
    isCarriedOver: job.isCarriedOver,
    isUnpriced: job.isUnpriced,
    sentence: `${explainMinutes(job)}: ${dollars(job.costNanos)}`,
  };
}

/** Null where no row of a book has the price: it is not known, or a rule of the organization names it. */
function priceBookOf(job: StoredJob, bookNames: BookNames): Receipt['priceBook'] {
  const { runnerKind, priceBookId } = job;
  if (runnerKind === null || !job.completedAt || job.isUnpriced) return null;
  if (customName(runnerKind) !== null) {
    return { name: "the organization's own rules", row: runnerTitle(runnerKind) };
  }
  const name = listNameOf({ id: priceBookId, name: bookNames.get(priceBookId) ?? priceBookId }, runnerKind);
  return { name, row: runnerTitle(runnerKind) };
}

function secondsOf({ status, startedAt, completedAt }: StoredJob): number {
  if (status !== 'completed' || !startedAt || !completedAt) return 0;
  return Math.max(0, completedAt.getTime() - startedAt.getTime()) / 1_000;
}

function explainMinutes(job: StoredJob): string {
  if (job.status !== 'completed') return 'It has not completed yet';
  if (job.isCarriedOver) return 'It repeats a job of an earlier attempt, which is paid there';
  if (job.billedMinutes > 0) return `${roundedUp(job)} ${pricedAs(job)}`;
  if (job.rawConclusion === 'skipped') return 'It was skipped';
  if (job.ran === false) return 'No runner took it';
  if (!job.startedAt || !job.completedAt) return 'It never started';
  if (job.completedAt < job.startedAt) return 'It ended before it started, which counts as 0 s';
  return 'It took 0 s';
}

function roundedUp(job: StoredJob): string {
  const seconds = secondsOf(job);
  if (job.rounding === 'second') return `${formatNumber(Math.ceil(seconds))} s`;
  const verb = seconds === job.billedMinutes * 60 ? 'are' : seconds === 1 ? 'rounds up to' : 'round up to';
  return `${formatNumber(seconds)} s ${verb} ${formatNumber(job.billedMinutes)} minute${job.billedMinutes === 1 ? '' : 's'}`;
}

function pricedAs({ isUnpriced, runnerKind, nanosPerMinute, rounding }: StoredJob): string {
  if (isUnpriced || runnerKind === null) return 'on a runner that no price is known for';
  if (runnerKind === 'third_party') return 'on a runner of another company, whose price is not known here';
  const runner = runnerKind === 'self_hosted' ? 'a self-hosted runner' : runnerTitle(runnerKind);
  return `of ${runner} at ${dollars(nanosPerMinute)}${rounding === 'second' ? ' a minute' : ''}`;
}

function formatNumber(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 3 });
}

/** Exact, with two decimals at least: `$0.30`, `$0.016`. */
function dollars(nanos: Nanos): string {
  const [whole, decimals = ''] = formatNanos(nanos).split('.');
  return `$${BigInt(whole!).toLocaleString('en-US')}.${decimals.padEnd(2, '0')}`;
}

import { isDeepStrictEqual } from 'node:util';
import { derivedId } from '../lib/ids.ts';
import type { StoredJob } from '../runs/history.ts';

/** What pricing decides of a job, as it is logged: big integers as text. */
export type PricedFacts = Pick<
  StoredJob,
  | 'runnerKind'
  | 'runnerRule'
  | 'billedMinutes'
  | 'rounding'
  | 'priceBookId'
  | 'priceRuleId'
  | 'isUnpriced'
  | 'flags'
> & { nanosPerMinute: string; costNanos: string };

export function pricedFacts(job: StoredJob): PricedFacts {
  return {
    runnerKind: job.runnerKind,
    runnerRule: job.runnerRule,
    billedMinutes: job.billedMinutes,
    rounding: job.rounding,
    priceBookId: job.priceBookId,
    priceRuleId: job.priceRuleId,
    isUnpriced: job.isUnpriced,
    flags: job.flags,
    nanosPerMinute: job.nanosPerMinute.toString(),
    costNanos: job.costNanos.toString(),
  };
}

/** The job with the price that was logged. */
export function withPricedFacts(job: StoredJob, facts: PricedFacts): StoredJob {
  return {
    ...job,
    ...facts,
    nanosPerMinute: BigInt(facts.nanosPerMinute),
    costNanos: BigInt(facts.costNanos),
  };
}

/** A digest of all that the price of a job depends on besides prices. */
export function factsDigest(job: StoredJob): string {
  const { labels, runnerName, runnerGroup, status, rawConclusion, startedAt, completedAt } = job;
  const facts = [labels, runnerName, runnerGroup, status, rawConclusion, startedAt, completedAt];
  return derivedId('facts', JSON.stringify([...facts, job.ran, job.isCarriedOver]));
}

/** Whether the job is as it was when this was logged: neither reported anew nor priced anew since. */
export function isUntouched(job: StoredJob, logged: { facts: string; after: PricedFacts }): boolean {
  return factsDigest(job) === logged.facts && isDeepStrictEqual(pricedFacts(job), logged.after);
}

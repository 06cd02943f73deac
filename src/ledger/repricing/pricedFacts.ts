import type { JobCost } from '../pricing/cost.ts';
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

/** What was decided of a job that is stored, or of any with the same price. */
export function pricedFacts(job: Pick<StoredJob, keyof PricedFacts>): PricedFacts {
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

/** What pricing a paid job decides. */
export function factsOfCost({ kind, rule, ...cost }: JobCost): PricedFacts {
  return pricedFacts({ ...cost, runnerKind: kind, runnerRule: rule });
}

import type { Job } from './queries.ts';
import { sumOf } from './receiptDollars.ts';

export type Attempt = {
  number: number;
  /** Jobs that ran in this attempt come first. */
  jobs: Job[];
  cost: number;
  minutes: number;
  carriedOver: number;
};

export function attemptsOf(jobs: readonly Job[]): Attempt[] {
  const numbers = [...new Set(jobs.map(({ attempt }) => attempt))];
  return numbers.map((number) => {
    const ofAttempt = jobs.filter(({ attempt }) => attempt === number);
    const carriedOver = ofAttempt.filter(({ receipt }) => receipt.is_carried_over);
    return {
      number,
      jobs: [...ofAttempt.filter(({ receipt }) => !receipt.is_carried_over), ...carriedOver],
      cost: sumOf(ofAttempt.map(({ receipt }) => receipt.cost)),
      minutes: ofAttempt.reduce((sum, { receipt }) => sum + receipt.billed_minutes, 0),
      carriedOver: carriedOver.length,
    };
  });
}

const failures: readonly (string | null)[] = ['failure', 'timed_out', 'startup_failure'];

/** Sums of a run's jobs. Copies that later attempts carried over neither ran nor failed again. */
export function sumsOf(jobs: readonly Job[]) {
  const ran = jobs.filter(({ receipt }) => !receipt.is_carried_over);
  return {
    minutes: ran.reduce((sum, { receipt }) => sum + receipt.billed_minutes, 0),
    seconds: ran.reduce((sum, { receipt }) => sum + receipt.seconds, 0),
    failed: ran.filter(({ raw_conclusion: result }) => failures.includes(result)).length,
    running: ran.filter(({ status }) => status === 'in_progress').length,
    carriedOver: jobs.length - ran.length,
  };
}

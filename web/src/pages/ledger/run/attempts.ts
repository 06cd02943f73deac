import { sumOf } from './exactDollars.ts';
import type { Job } from './queries.ts';

export type Attempt = {
  number: number;
  /** Those that ran in it come first. */
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

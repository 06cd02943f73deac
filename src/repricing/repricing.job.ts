import type { Database } from '../db/database.ts';
import type { Job } from '../jobs/worker.ts';
import type { Clock } from '../lib/clock.ts';
import { repricingJob } from './doReprice.ts';

/** Prices recorded jobs anew where somebody has asked for it. */
export function repricingJobs(program: { db: Database; clock: Clock }): Job[] {
  return [repricingJob(program)];
}

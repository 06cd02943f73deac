import type { Database } from '../../platform/db/database.ts';
import type { Clock } from '../../platform/lib/clock.ts';
import type { Job } from '../../platform/work/worker.ts';
import { repricingJob } from './doReprice.ts';

/** Works on the reprices that were asked for. */
export function repricingJobs(program: { db: Database; clock: Clock }): Job[] {
  return [repricingJob(program)];
}

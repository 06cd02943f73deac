import type { Job } from '../../platform/work/worker.ts';
import { repricingJob, type RepricingProgram } from './doReprice.ts';

/** Prices recorded jobs anew where somebody has asked for it. */
export function repricingJobs(program: RepricingProgram): Job[] {
  return [repricingJob(program)];
}

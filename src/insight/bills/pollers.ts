import type { Program } from '../../context.ts';
import type { Job } from '../../platform/work/worker.ts';
import { clearLeftReport } from './reports.ts';

/** Clears away reports that were left half-read or half-deleted. */
export function billJobs(program: Pick<Program, 'db' | 'clock'>): Job[] {
  return [{ name: 'clear left reports', everyMilliseconds: 60_000, run: () => clearLeftReport(program) }];
}

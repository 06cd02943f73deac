import type { Program } from '../../context.ts';
import type { Job } from '../../platform/work/worker.ts';
import { pruneCompletions, tellCompletions } from './tellCompletions.ts';

/** Tells webhooks of runs that have ended. */
export function completionJobs(program: Pick<Program, 'db' | 'clock' | 'subscribers'>): Job[] {
  return [
    { name: 'tell completions', everyMilliseconds: 500, run: () => tellCompletions(program) },
    { name: 'prune completions', everyMilliseconds: 60_000, run: () => pruneCompletions(program) },
  ];
}

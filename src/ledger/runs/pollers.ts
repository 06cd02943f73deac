import type { Program } from '../../context.ts';
import type { Poller } from '../../platform/work/worker.ts';
import { pruneCompletions, tellCompletions } from './tellCompletions.ts';

/** Tells webhooks of runs that have ended. */
export function completionPollers(program: Pick<Program, 'db' | 'clock'>): Poller[] {
  return [
    { name: 'tell completions', everyMilliseconds: 500, run: () => tellCompletions(program) },
    { name: 'prune completions', everyMilliseconds: 60_000, run: () => pruneCompletions(program) },
  ];
}

import type { Program } from '../../context.ts';
import type { Poller } from '../../platform/work/worker.ts';
import { announceCompletions, pruneCompletions } from './completions.ts';

export function completionPollers(program: Pick<Program, 'db' | 'clock' | 'subscribers'>): Poller[] {
  return [
    { name: 'announce completions', everyMilliseconds: 500, run: () => announceCompletions(program) },
    { name: 'prune completions', everyMilliseconds: 60_000, run: () => pruneCompletions(program) },
  ];
}

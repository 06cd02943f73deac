import type { Program } from '../../context.ts';
import type { Poller } from '../../platform/work/worker.ts';
import { clearLeftReport } from './reports.ts';

/** Clears away reports that were left half-read or half-deleted. */
export function billPollers(program: Pick<Program, 'db' | 'clock'>): Poller[] {
  return [{ name: 'clear left reports', everyMilliseconds: 60_000, run: () => clearLeftReport(program) }];
}

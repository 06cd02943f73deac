import type { Database } from '../../platform/db/database.ts';
import type { Clock } from '../../platform/lib/clock.ts';
import type { Poller } from '../../platform/work/worker.ts';
import { repricingPoller } from './doReprice.ts';

/** Works on the reprices that were asked for. */
export function repricingPollers(program: { db: Database; clock: Clock }): Poller[] {
  return [repricingPoller(program)];
}

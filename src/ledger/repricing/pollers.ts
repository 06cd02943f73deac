import type { Poller } from '../../platform/work/worker.ts';
import { repricingPoller, type RepricingProgram } from './doReprice.ts';

/** Works on the reprices that were asked for. */
export function repricingPollers(program: RepricingProgram): Poller[] {
  return [repricingPoller(program)];
}

import type { Poller } from '../../platform/work/worker.ts';
import { repricingPoller, type RepricingProgram } from './doReprice.ts';

/** Prices recorded jobs anew where somebody has asked for it. */
export function repricingPollers(program: RepricingProgram): Poller[] {
  return [repricingPoller(program)];
}

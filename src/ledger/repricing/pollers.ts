import type { Poller } from '../../platform/work/worker.ts';
import { repricingPoller, type RepricingProgram } from './doReprice.ts';

export function repricingPollers(program: RepricingProgram): Poller[] {
  return [repricingPoller(program)];
}

import type { Poller } from '../../platform/work/worker.ts';
import { createDeliverer, type DeliveryProgram } from './deliver.ts';
import { pruneEvents } from './pruneEvents.ts';
import { releaseHeld } from './releaseHeld.ts';
import { advanceResends } from './resends.ts';

/** Sends events to webhooks, those held or asked for once more in their turn, and forgets old ones. */
export function webhookPollers(program: DeliveryProgram): Poller[] {
  const { deliver, everyMilliseconds, stop } = createDeliverer(program);
  return [
    { name: 'release held deliveries', everyMilliseconds: 1_000, run: () => releaseHeld(program) },
    { name: 'advance resends', everyMilliseconds: 1_000, run: () => advanceResends(program) },
    { name: 'deliver', everyMilliseconds, run: deliver, stop },
    { name: 'prune events', everyMilliseconds: 60_000, run: () => pruneEvents(program) },
  ];
}

import type { Poller } from '../../platform/work/worker.ts';
import type { NotificationProgram } from '../notifications/context.ts';
import { checkDueAlerts } from './checkAlerts.ts';
import { announceShares } from './shares.ts';

export function alertPollers(program: NotificationProgram): Poller[] {
  return [
    {
      name: 'check alerts',
      everyMilliseconds: 5_000,
      run: async () => (await checkDueAlerts(program)) > 0,
    },
    { name: 'announce shares of budgets', everyMilliseconds: 1_000, run: () => announceShares(program) },
  ];
}

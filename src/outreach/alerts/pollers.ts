import type { Poller } from '../../platform/work/worker.ts';
import type { NotificationProgram } from '../notifications/context.ts';
import { checkDueAlerts } from './checkAlerts.ts';
import { crossBudgets } from './shares.ts';

/** Checks alerts when they are due, and announces shares of budgets soon after costs have come. */
export function alertPollers(program: NotificationProgram): Poller[] {
  return [
    {
      name: 'check alerts',
      everyMilliseconds: 5_000,
      run: async () => (await checkDueAlerts(program)) > 0,
    },
    { name: 'cross budgets', everyMilliseconds: 1_000, run: () => crossBudgets(program) },
  ];
}

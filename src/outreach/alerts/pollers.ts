import type { Poller } from '../../platform/work/worker.ts';
import { checkDueAlerts } from './checkDueAlerts.ts';
import type { AlertProgram } from './context.ts';
import { crossBudgets } from './crossBudgets.ts';

/** Checks alerts when they are due, and tells what share of a budget is spent soon after a cost has come. */
export function alertPollers(program: AlertProgram): Poller[] {
  return [
    {
      name: 'check alerts',
      everyMilliseconds: 5_000,
      run: async () => (await checkDueAlerts(program)) > 0,
    },
    { name: 'cross budgets', everyMilliseconds: 1_000, run: () => crossBudgets(program) },
  ];
}

/**
 * Recomputes every total from what senders and operators sent, and compares it with what the API shows. It shares no code
 * with the program, and follows docs/reference and docs/explanation.
 */
import { checkBudgets, openBudgets } from './budgets.ts';
import { factsOf } from './facts.ts';
import type { Ask, Difference, Step } from './history.ts';
import { openLedger } from './ledger.ts';
import {
  checkDashboard,
  checkExports,
  checkGroups,
  checkLists,
  checkShowback,
  checkWaste,
  type ExportedRow,
} from './views.ts';

type Options = {
  /** Which questions of Explore are asked, such as `net_cost branch`; by default all, which takes a second. */
  pick?: (question: string) => boolean;
  /** The bodies that a webhook of the organization got from the start. */
  received?: readonly unknown[];
  /** Writes an export and reads it. */
  exported?: (dataset: string, first: string) => Promise<ExportedRow[]>;
};

export async function audit(
  history: readonly Step[],
  ask: Ask,
  now: Date,
  { pick = () => true, received, exported }: Options = {},
): Promise<Difference[]> {
  const differences: Difference[] = [];
  const check = (view: string, of: string, found: unknown, expected: unknown): void => {
    if (found !== expected) differences.push({ view, of, found, expected });
  };
  const ledger = openLedger();
  const { change, look, budgets } = openBudgets();
  for (const step of history) {
    ledger.apply(step);
    if (step.path.startsWith('/api/v1/alerts')) change(step);
    if (budgets.size > 0) look(step, ledger.read());
  }
  const facts = factsOf(ledger.read(), await workflowIds(ask));
  const view = { ask, facts, today: now.getTime(), check };
  await checkDashboard(view);
  await checkGroups(view, pick);
  await checkLists(view);
  await checkWaste(view);
  await checkShowback(view);
  if (exported) await checkExports(view, exported);
  await checkBudgets(budgets, { ask, now, received: received ?? null, check });
  return differences;
}

async function workflowIds(ask: Ask): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (let page = 1; ; page++) {
    const query = { days: '365', per_page: '100', page: `${page}` };
    const { workflows } = await ask('/api/v1/dashboard/workflows', query);
    for (const { workflow_id, workflow_name, repo_name } of workflows)
      ids.set(`${repo_name} ${workflow_name}`, workflow_id);
    if (workflows.length < 100) return ids;
  }
}

import { getRunnerUse } from '../../ledger/costs/getDayCosts.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { addDays, windowEnding, type Window } from '../../platform/lib/days.ts';
import { explainChange, type Explanation, type WorkflowUse } from './explain.ts';
import type { Measured } from './measure.ts';
import { previousPeriod } from './periods.ts';
import type { Rule } from './rule.ts';

/** Says where the change behind a measurement came from, by workflow. */
export type Explainer = (rule: Rule, measured: Measured) => Promise<Explanation>;

/** An explainer for one snapshot of the organization's costs: alerts on the same days share their explanation. */
export function createExplainer(tx: Transaction, orgId: string): Explainer {
  const known = new Map<string, Explanation>();

  async function explain(
    observedWindow: Window,
    compared: Window[],
    comparedUntil: Date | null,
  ): Promise<Explanation> {
    const observed = await usesIn(tx, orgId, [observedWindow], null);
    const baseline = await usesIn(tx, orgId, compared, comparedUntil);
    return explainChange(observed, baseline, BigInt(compared.length));
  }

  return async (rule, measured) => {
    const compared = rule.type === 'budget' ? [sameDaysBefore(rule, measured)] : measured.comparedWindows;
    const { countedWindow, comparedUntil } = measured;
    const key = JSON.stringify([countedWindow, compared, comparedUntil]);
    const explanation = known.get(key) ?? (await explain(countedWindow, compared, comparedUntil));
    known.set(key, explanation);
    return explanation;
  };
}

/** A budget's spend so far is explained against the first days, as many, of the period before. */
function sameDaysBefore({ period }: Rule, { window, countedWindow }: Measured): Window {
  const before = previousPeriod(window, period);
  const days = Math.min(countedWindow.days, before.days);
  return windowEnding(addDays(before.start, days - 1), days);
}

async function usesIn(
  tx: Transaction,
  orgId: string,
  windows: readonly Window[],
  until: Date | null,
): Promise<WorkflowUse[]> {
  const uses = await getRunnerUse(tx, orgId, windows, until);
  return [...Map.groupBy(uses, (use) => use.workflowId).values()].map((ofWorkflow) => {
    const { workflowId, workflowName, repository } = ofWorkflow[0]!;
    const kinds = ofWorkflow.map(({ runnerKind, jobs, minutes, costNanos }) => ({
      kind: runnerKind,
      jobs,
      minutes,
      costNanos,
    }));
    return { workflowId, workflow: workflowName, repository, kinds };
  });
}

/** An explanation as it is stored: nano-dollars as text, since JSON numbers would lose digits. */
export type Explained = AsText<Explanation>;
type AsText<T> = T extends bigint ? string : T extends object ? { [K in keyof T]: AsText<T[K]> } : T;

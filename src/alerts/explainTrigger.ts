import type { Database } from '../db/database.ts';
import { getRunnerUse } from '../dashboard/getDayCosts.ts';
import { addDays, windowEnding, type Window } from '../lib/days.ts';
import { explainChange, type Explanation, type WorkflowUse } from './explain.ts';
import type { Measured } from './measure.ts';
import { previousPeriod } from './periods.ts';
import type { Rule } from './rule.ts';

/** Where the change behind a measurement came from, by workflow. */
export async function explainTrigger(
  db: Database,
  orgId: string,
  rule: Rule,
  measured: Measured,
): Promise<Explanation> {
  const compared = rule.type === 'budget' ? [sameDaysBefore(rule, measured)] : measured.comparedWindows;
  const observed = await usesIn(db, orgId, [measured.countedWindow]);
  const baseline = await usesIn(db, orgId, compared);
  return explainChange(observed, baseline, BigInt(compared.length));
}

/** A budget's spend so far is explained against the first days, as many, of the period before. */
function sameDaysBefore({ period }: Rule, { window, countedWindow }: Measured): Window {
  const before = previousPeriod(window, period);
  const days = Math.min(countedWindow.days, before.days);
  return windowEnding(addDays(before.start, days - 1), days);
}

async function usesIn(db: Database, orgId: string, windows: readonly Window[]): Promise<WorkflowUse[]> {
  const uses = await getRunnerUse(db, orgId, windows);
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

export function storableExplanation(explanation: Explanation): string {
  return JSON.stringify(explanation, (_key, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
}

import { getRunnerUse, type UseWindows } from '../../ledger/costs/overview.ts';
import type { RunnerUse, ScopeReader } from '../../ledger/costs/scopes.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { compare } from '../../platform/lib/lists.ts';
import { magnitude, type Nanos } from '../../platform/lib/money.ts';
import { typeOf, type Rule } from './alertTypes.ts';
import { costScopeOf } from './costScopes.ts';
import type { Measured } from './rules/rule.ts';
import type { Scope } from './scope.ts';

export type WorkflowUse = {
  workflowId: string;
  workflow: string;
  repository: string;
  kinds: KindUse[];
};
type KindUse = { kind: string; jobs: bigint; minutes: bigint; costNanos: Nanos };

type Change = { observedNanos: Nanos; baselineNanos: Nanos; changeNanos: Nanos };

/** The causes of a change. They add up to `changeNanos`. */
type Parts = {
  /** More or fewer jobs, at the former cost per job. */
  volumeNanos: Nanos;
  /** Longer or shorter jobs, at the former cost per minute. */
  durationNanos: Nanos;
  priceNanos: Nanos;
  mixNanos: Nanos;
};

type WorkflowChange = Pick<WorkflowUse, 'workflowId' | 'workflow' | 'repository'> & Change & Parts;

export type Explanation = Change & { workflows: WorkflowChange[]; others: OtherChanges };

type OtherChanges = { workflows: number } & Change & Parts;

/** A stored explanation: nano-dollars as text, because JSON numbers would lose digits. */
export type Explained = AsText<Explanation>;
type AsText<T> = T extends bigint ? string : T extends object ? { [K in keyof T]: AsText<T[K]> } : T;

const maxListed = 50;

/**
 * `baseline` holds sums over `baselineDivisor` windows and stands for their average, rounded so that the workflows
 * add up to the rounded total. A workflow that is new or gone is all volume.
 */
export function explainChange(
  observed: WorkflowUse[],
  baseline: WorkflowUse[],
  baselineDivisor: bigint,
): Explanation {
  const now = new Map(observed.map((use) => [use.workflowId, use]));
  const before = new Map(baseline.map((use) => [use.workflowId, use]));
  let sumBefore = 0n;
  const workflows: WorkflowChange[] = [];
  for (const workflowId of [...new Set([...before.keys(), ...now.keys()])].toSorted()) {
    const [current, former] = [now.get(workflowId), before.get(workflowId)];
    const { workflow, repository } = (current ?? former)!;
    const observedNanos = totalOf(current).costNanos;
    const formerNanos = totalOf(former).costNanos;
    const baselineNanos = (sumBefore + formerNanos) / baselineDivisor - sumBefore / baselineDivisor;
    sumBefore += formerNanos;
    workflows.push({
      workflowId,
      workflow,
      repository,
      ...changeBetween(observedNanos, baselineNanos),
      ...partsOf(current, former, baselineNanos),
    });
  }
  const bySize = workflows.toSorted((a, b) => compare(magnitude(b.changeNanos), magnitude(a.changeNanos)));
  return {
    ...changeBetween(sum(workflows, 'observedNanos'), sum(workflows, 'baselineNanos')),
    workflows: bySize.slice(0, maxListed).toSorted((a, b) => compare(b.changeNanos, a.changeNanos)),
    others: together(bySize.slice(maxListed)),
  };
}

function together(workflows: WorkflowChange[]): OtherChanges {
  return {
    workflows: workflows.length,
    ...changeBetween(sum(workflows, 'observedNanos'), sum(workflows, 'baselineNanos')),
    volumeNanos: sum(workflows, 'volumeNanos'),
    durationNanos: sum(workflows, 'durationNanos'),
    priceNanos: sum(workflows, 'priceNanos'),
    mixNanos: sum(workflows, 'mixNanos'),
  };
}

/**
 * Changes one thing at a time: number of jobs, then their minutes, then prices; the rest is mix. Differences of steps
 * add up whatever the rounding.
 */
function partsOf(
  current: WorkflowUse | undefined,
  former: WorkflowUse | undefined,
  baselineNanos: Nanos,
): Parts {
  const now = totalOf(current);
  const before = totalOf(former);
  if (before.jobs === 0n || now.jobs === 0n) {
    const volumeNanos = now.costNanos - baselineNanos;
    return { volumeNanos, durationNanos: 0n, priceNanos: 0n, mixNanos: 0n };
  }
  const withJobs = (now.jobs * before.costNanos) / before.jobs;
  const volumeNanos = withJobs - baselineNanos;
  // Jobs without minutes had no price per minute, so all the change comes from longer jobs.
  if (before.minutes === 0n) {
    return { volumeNanos, durationNanos: now.costNanos - withJobs, priceNanos: 0n, mixNanos: 0n };
  }
  const withMinutes = (now.minutes * before.costNanos) / before.minutes;
  const priceNanos = priceChange(current!.kinds, former!.kinds);
  return {
    volumeNanos,
    durationNanos: withMinutes - withJobs,
    priceNanos,
    mixNanos: now.costNanos - withMinutes - priceNanos,
  };
}

function priceChange(current: KindUse[], former: KindUse[]): Nanos {
  const before = new Map(former.map((use) => [use.kind, use]));
  return current.reduce((total, { kind, minutes, costNanos }) => {
    const known = before.get(kind);
    if (!known || known.minutes === 0n || minutes === 0n) return total;
    return total + costNanos - (minutes * known.costNanos) / known.minutes;
  }, 0n);
}

function totalOf(use: WorkflowUse | undefined): Omit<KindUse, 'kind'> {
  const kinds = use?.kinds ?? [];
  return { jobs: sum(kinds, 'jobs'), minutes: sum(kinds, 'minutes'), costNanos: sum(kinds, 'costNanos') };
}

function changeBetween(observedNanos: Nanos, baselineNanos: Nanos): Change {
  return { observedNanos, baselineNanos, changeNanos: observedNanos - baselineNanos };
}

function sum<Key extends string>(rows: readonly Record<Key, bigint>[], key: Key): bigint {
  return rows.reduce((total, row) => total + row[key], 0n);
}

export type Explainer = (rule: Rule, measured: Measured) => Promise<Explanation>;

/** Alerts on the same days and scope share an explanation. */
export function createExplainer(tx: Transaction, orgId: string, reader: ScopeReader): Explainer {
  const known = new Map<string, Explanation>();

  async function usesIn(scope: Scope, asked: readonly UseWindows[]): Promise<RunnerUse[][]> {
    const costScope = costScopeOf(scope);
    if (costScope) return reader.use(costScope, asked);
    const uses: RunnerUse[][] = [];
    for (const windows of asked) uses.push(await getRunnerUse(tx, orgId, windows));
    return uses;
  }

  return async (rule, measured) => {
    const compared = typeOf(rule).explainedAgainst(rule, measured);
    const { countedWindow, comparedUntil } = measured;
    const key = JSON.stringify([rule.scope, countedWindow, compared, comparedUntil]);
    const asked = [
      { windows: [countedWindow], until: null },
      { windows: compared, until: comparedUntil },
    ];
    let explanation = known.get(key);
    if (!explanation) {
      const [observed = [], baseline = []] = (await usesIn(rule.scope, asked)).map(byWorkflow);
      explanation = explainChange(observed, baseline, BigInt(compared.length));
      known.set(key, explanation);
    }
    return explanation;
  };
}

function byWorkflow(uses: readonly RunnerUse[]): WorkflowUse[] {
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

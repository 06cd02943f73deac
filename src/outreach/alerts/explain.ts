import { splitChange, type Parts, type Use } from '../../ledger/costs/changeParts.ts';
import {
  isOfJobs,
  type OverTimeLimit,
  type RunnerUse,
  type ScopeReader,
  type WatchedJobs,
} from '../../ledger/costs/scopes.ts';
import type { Happened } from '../../ledger/costs/whatChanged/ofScope.ts';
import type { Day, Window } from '../../platform/lib/days.ts';
import { compare, sumOf } from '../../platform/lib/lists.ts';
import { magnitude, type Nanos } from '../../platform/lib/money.ts';
import { typeOf, type Rule } from './alertTypes.ts';
import { costScopeOf, watchedCosts } from './readCosts.ts';
import type { Measured } from './rules/rule.ts';

export type WorkflowUse = {
  workflowId: string;
  workflow: string;
  repository: string;
  uses: Use[];
};

type Change = { observedNanos: Nanos; baselineNanos: Nanos; changeNanos: Nanos };

type WorkflowChange = Pick<WorkflowUse, 'workflowId' | 'workflow' | 'repository'> & Change & Parts;

type ExplainedChange = Change & { workflows: WorkflowChange[]; others: OtherChanges };

/** `overTimeLimit`: the jobs in `observedNanos` whose times may be wrong. */
export type Explanation = ExplainedChange & { overTimeLimit: OverTimeLimit; usedMost: UsedMost };

/** The repositories and workflows with the highest observed amounts. */
type UsedMost = {
  repositories: { repository: string; observedNanos: Nanos }[];
  workflows: (Pick<WorkflowUse, 'workflowId' | 'workflow' | 'repository'> & { observedNanos: Nanos })[];
};

type OtherChanges = { workflows: number } & Change & Parts;

/** A stored explanation, with nano-dollars as text, because JSON numbers would lose digits. */
export type Explained = AsText<ExplainedChange> & {
  /** Older triggers lack it and the next ones. */
  overTimeLimit?: AsText<OverTimeLimit>;
  usedMost?: AsText<UsedMost>;
  happened?: Happened | null;
  /** The last day in `observedNanos`. */
  countedUntil?: Day;
  /** Of included usage only: when the included minutes are used up, or will be at the pace of that time. */
  usedUpOn?: Day | null;
};
type AsText<T> = T extends bigint ? string : T extends object ? { [K in keyof T]: AsText<T[K]> } : T;

const maxListed = 50;

/**
 * `baseline` has sums over `baselineDivisor` windows and stands for their average, rounded so that the
 * workflows add up to the rounded total. A new or removed workflow is all volume.
 */
export function explainChange(
  observed: WorkflowUse[],
  baseline: WorkflowUse[],
  baselineDivisor: bigint,
): ExplainedChange {
  const observedById = new Map(observed.map((use) => [use.workflowId, use]));
  const baselineById = new Map(baseline.map((use) => [use.workflowId, use]));
  let baselineSum = 0n;
  const workflows: WorkflowChange[] = [];
  for (const workflowId of [...new Set([...baselineById.keys(), ...observedById.keys()])].toSorted()) {
    const inObserved = observedById.get(workflowId);
    const inBaseline = baselineById.get(workflowId);
    const { workflow, repository } = (inObserved ?? inBaseline)!;
    const observedNanos = sumOf(inObserved?.uses ?? [], 'costNanos');
    const baselineTotal = sumOf(inBaseline?.uses ?? [], 'costNanos');
    const baselineNanos = (baselineSum + baselineTotal) / baselineDivisor - baselineSum / baselineDivisor;
    baselineSum += baselineTotal;
    workflows.push({
      workflowId,
      workflow,
      repository,
      ...changeBetween(observedNanos, baselineNanos),
      ...splitChange(inObserved?.uses ?? [], inBaseline?.uses ?? [], baselineNanos),
    });
  }
  const bySize = workflows.toSorted((a, b) => compare(magnitude(b.changeNanos), magnitude(a.changeNanos)));
  return {
    ...changeBetween(sumOf(workflows, 'observedNanos'), sumOf(workflows, 'baselineNanos')),
    workflows: bySize.slice(0, maxListed).toSorted((a, b) => compare(b.changeNanos, a.changeNanos)),
    others: together(bySize.slice(maxListed)),
  };
}

function together(workflows: WorkflowChange[]): OtherChanges {
  return {
    workflows: workflows.length,
    ...changeBetween(sumOf(workflows, 'observedNanos'), sumOf(workflows, 'baselineNanos')),
    volumeNanos: sumOf(workflows, 'volumeNanos'),
    durationNanos: sumOf(workflows, 'durationNanos'),
    priceNanos: sumOf(workflows, 'priceNanos'),
    mixNanos: sumOf(workflows, 'mixNanos'),
  };
}

function changeBetween(observedNanos: Nanos, baselineNanos: Nanos): Change {
  return { observedNanos, baselineNanos, changeNanos: observedNanos - baselineNanos };
}

const maxUsed = 5;

function usedMost(uses: readonly WorkflowUse[]): UsedMost {
  const workflows = uses.map(({ uses: kinds, ...workflow }) => ({
    ...workflow,
    observedNanos: sumOf(kinds, 'costNanos'),
  }));
  const repositories = [...Map.groupBy(workflows, ({ repository }) => repository)];
  const ofRepositories = repositories.map(([repository, own]) => ({
    repository,
    observedNanos: sumOf(own, 'observedNanos'),
  }));
  return { repositories: highest(ofRepositories), workflows: highest(workflows) };
}

function highest<Row extends { observedNanos: Nanos; repository: string }>(rows: readonly Row[]): Row[] {
  return rows
    .filter(({ observedNanos }) => observedNanos > 0n)
    .toSorted((a, b) => compare(b.observedNanos, a.observedNanos) || compare(a.repository, b.repository))
    .slice(0, maxUsed);
}

export type Explainer = (rule: Rule, measured: Measured) => Promise<Explanation>;

/** Alerts with the same days and scope share an explanation. */
export function createExplainer(reader: ScopeReader): Explainer {
  const known = new Map<string, Explanation>();
  return async (rule, measured) => {
    const baseline = typeOf(rule).explanationBaseline(rule, measured);
    const { countedWindow, baselineUntil } = measured;
    const scope = costScopeOf(rule.scope);
    const key = JSON.stringify([scope, rule.measure, countedWindow, baseline, baselineUntil]);
    const asked = [
      { windows: [countedWindow], until: null },
      { windows: baseline, until: baselineUntil },
    ];
    let explanation = known.get(key);
    if (!explanation) {
      const watched = watchedCosts(rule);
      explanation = isOfJobs(watched)
        ? await explainJobs(reader, watched, { asked, divisor: BigInt(baseline.length), countedWindow })
        : explainProduct(await reader.productUse(watched.measure, countedWindow));
      known.set(key, explanation);
    }
    return explanation;
  };
}

async function explainJobs(
  reader: ScopeReader,
  watched: WatchedJobs,
  {
    asked,
    divisor,
    countedWindow,
  }: { asked: Parameters<ScopeReader['use']>[1]; divisor: bigint; countedWindow: Window },
): Promise<Explanation> {
  const [observedUses = [], baselineUses = []] = (await reader.use(watched, asked)).map(byWorkflow);
  return {
    ...explainChange(observedUses, baselineUses, divisor),
    usedMost: usedMost(observedUses),
    overTimeLimit: await reader.overTimeLimit(watched.scope, countedWindow),
  };
}

/** The bill has no workflows. */
function explainProduct(shares: Awaited<ReturnType<ScopeReader['productUse']>>): Explanation {
  const repositories = shares.map(({ repository, nanos }) => ({ repository, observedNanos: nanos }));
  return {
    ...explainChange([], [], 1n),
    usedMost: { repositories: highest(repositories), workflows: [] },
    overTimeLimit: { jobs: 0, costNanos: 0n },
  };
}

function byWorkflow(uses: readonly RunnerUse[]): WorkflowUse[] {
  return [...Map.groupBy(uses, (use) => use.workflowId).values()].map((ofWorkflow) => {
    const { workflowId, workflowName, repository } = ofWorkflow[0]!;
    // Daily sums have no price per minute.
    const kinds = ofWorkflow.map((use) => ({ ...use, runner: use.runnerKind, nanosPerMinute: null }));
    return { workflowId, workflow: workflowName, repository, uses: kinds };
  });
}

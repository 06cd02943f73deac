import { getRunnerUse } from '../../ledger/costs/getDayCosts.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { compare } from '../../platform/lib/compare.ts';
import type { Window } from '../../platform/lib/days.ts';
import { magnitude, type Nanos } from '../../platform/lib/money.ts';
import { typeOf, type Rule } from './alertTypes.ts';
import type { Measured } from './rules/rule.ts';

/** What ran of a workflow in some time, by kind of runner; each kind once. */
export type WorkflowUse = {
  workflowId: string;
  workflow: string;
  repository: string;
  kinds: KindUse[];
};
type KindUse = { kind: string; jobs: bigint; minutes: bigint; costNanos: Nanos };

type Change = { observedNanos: Nanos; baselineNanos: Nanos; changeNanos: Nanos };

/** Where a change comes from; the four add up to `changeNanos`. */
type Parts = {
  /** More or fewer jobs, each at what one cost before. */
  volumeNanos: Nanos;
  /** Longer or shorter jobs, each minute at what one cost before. */
  durationNanos: Nanos;
  /** Other prices of the kinds of runner that ran before and now. */
  priceNanos: Nanos;
  /** Other kinds of runner. */
  mixNanos: Nanos;
};

type WorkflowChange = Pick<WorkflowUse, 'workflowId' | 'workflow' | 'repository'> & Change & Parts;

/** The workflows, that which rose most first, and the others add up to the whole. */
export type Explanation = Change & { workflows: WorkflowChange[]; others: OtherChanges };

/** The workflows that changed least, where there are more than are listed. */
type OtherChanges = { workflows: number } & Change & Parts;

/** An explanation as it is stored: nano-dollars as text, since JSON numbers would lose digits. */
export type Explained = AsText<Explanation>;
type AsText<T> = T extends bigint ? string : T extends object ? { [K in keyof T]: AsText<T[K]> } : T;

const maxListed = 50;

/**
 * Splits the change of cost by workflow and by what caused it. `baseline` holds sums over as many windows as
 * `baselineDivisor` says, and stands for their average. That is rounded so that the workflows' baselines, taken in the
 * order of their ids, add up to the whole average rounded down: each is less than a nano-dollar off. All of a new
 * workflow is volume, and so is all of one that is gone.
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
      ...{ workflowId, workflow, repository },
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
 * Goes from the baseline to the observed cost in steps and takes the differences, so that they add up whatever each
 * step is rounded to: jobs as many as now; then also as long as now; then also at the prices of now; the rest is mix.
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
  // Jobs that took no time before had no price per minute: all that they cost now comes of their lasting longer.
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

/** What the minutes of now cost more than before, over the kinds that ran both times; rounded up for each kind. */
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
    const compared = typeOf(rule).explainedAgainst(rule, measured);
    const { countedWindow, comparedUntil } = measured;
    const key = JSON.stringify([countedWindow, compared, comparedUntil]);
    const explanation = known.get(key) ?? (await explain(countedWindow, compared, comparedUntil));
    known.set(key, explanation);
    return explanation;
  };
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

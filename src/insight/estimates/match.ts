import { isDeepStrictEqual } from 'node:util';
import type { Plan, PlannedJob, PlannedWorkflow } from '../../ledger/pricing/plan.ts';

export type Side = { workflow: PlannedWorkflow; job: PlannedJob };

/** A job at two revisions; one side is null if it was added or removed. `before` is its workflow at the base. */
export type Pair = { base: Side | null; head: Side | null; before: PlannedWorkflow | null };

export function pairJobs(base: Plan, head: Plan): Pair[] {
  const named = pairUp(base.workflows, head.workflows, [
    { of: ({ path }) => path, isUnique: true },
    { of: ({ name }) => name, isUnique: true },
  ]);
  return pairAlike(named).flatMap(([before, after]) => {
    const sides = (workflow: PlannedWorkflow | null) =>
      (workflow?.jobs ?? []).map((job): Side => ({ workflow: workflow!, job }));
    // A renamed job has kept its id. Jobs of a matrix may share a name.
    const jobs = pairUp(sides(before), sides(after), [
      { of: ({ job }) => job.name, isUnique: false },
      { of: ({ job }) => job.key, isUnique: true },
    ]);
    return jobs.map(([old, now]): Pair => ({ base: old, head: now, before }));
  });
}

type Workflows = [PlannedWorkflow | null, PlannedWorkflow | null];

/** Pairs a file that was renamed together with its workflow: at least half of the jobs on both sides must be equal. */
function pairAlike(pairs: readonly Workflows[]): Workflows[] {
  const contentOf = ({ jobs }: PlannedWorkflow) => new Set(jobs.map(({ key, work }) => `${key}\n${work}`));
  const olds = new Map(pairs.flatMap(([old, now]) => (old && !now ? [[old, contentOf(old)] as const] : [])));
  const paired = new Map<PlannedWorkflow, PlannedWorkflow>();
  for (const [old, now] of pairs) {
    if (old || !now) continue;
    const content = contentOf(now);
    const [best] = [...olds]
      .map(([each, known]) => ({ each, shared: known.intersection(content).size, size: known.size }))
      .filter(({ shared, size }) => shared > 0 && 2 * shared >= Math.max(size, content.size))
      .toSorted((a, b) => b.shared - a.shared);
    if (!best) continue;
    paired.set(now, best.each);
    olds.delete(best.each);
  }
  return pairs.flatMap(([old, now]): Workflows[] => {
    if (old && !now) return olds.has(old) ? [[old, now]] : [];
    return [[old ?? paired.get(now!) ?? null, now]];
  });
}

/** Pairs items by the first key: the n-th of each side, or only those whose key is unique on both. */
function pairUp<Item>(
  before: readonly Item[],
  after: readonly Item[],
  keys: readonly { of: (item: Item) => string; isUnique: boolean }[],
): [Item | null, Item | null][] {
  const pairs: [Item | null, Item | null][] = [];
  let [olds, news] = [before, after];
  for (const { of, isUnique } of keys) {
    const [oldsOf, newsOf] = [Map.groupBy(olds, of), Map.groupBy(news, of)];
    const paired = new Set<Item>();
    for (const [key, group] of newsOf) {
      const others = oldsOf.get(key) ?? [];
      if (isUnique && group.length + others.length !== 2) continue;
      for (const [index, now] of group.slice(0, others.length).entries()) {
        pairs.push([others[index]!, now]);
        paired.add(now).add(others[index]!);
      }
    }
    [olds, news] = [olds, news].map((items) => items.filter((item) => !paired.has(item))) as [Item[], Item[]];
  }
  return [
    ...pairs,
    ...news.map((item): [null, Item] => [null, item]),
    ...olds.map((item): [Item, null] => [item, null]),
  ];
}

export type Difference =
  | 'runner'
  | 'triggers'
  | 'condition'
  | 'timeout'
  | 'work'
  | 'matrix'
  | 'concurrency'
  | 'shards';

export function differencesOf({ base, head }: Pair): Difference[] {
  if (!base || !head) return [];
  const [a, b] = [base, head].map(({ workflow, job }) => ({
    runner: [job.labels?.map((label) => label.toLowerCase()).toSorted(), job.runnerGroup],
    triggers: workflow.triggers?.map(({ event, filter }) => [event, filter]).toSorted(),
    condition: [job.condition, job.startedByHand],
    timeout: job.timeout,
    work: job.work,
    matrix: job.unknownMatrix,
    concurrency: workflow.cancelsSuperseded,
    shards: job.shard.count,
  }));
  return (Object.keys(a!) as Difference[]).filter((name) => !isDeepStrictEqual(a![name], b![name]));
}

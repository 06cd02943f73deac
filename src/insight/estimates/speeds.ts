import type { RunnerPrice } from '../../ledger/pricing/cost.ts';
import { getOrCreate } from '../../platform/lib/lists.ts';
import type { PassedRuns } from '../moves/passedRuns.ts';
import { runnerKey } from '../moves/runners.ts';
import { speedOf, type Speed } from '../moves/speed.ts';
import type { JobCell } from './queries.ts';
import type { Runners } from './runners.ts';

/** How much longer a recorded job takes on another runner. Null if it has not passed there often enough. */
export type Speeds = (
  cell: JobCell,
  there: { runner: RunnerPrice; labels: readonly string[] },
) => Speed | null;

export function createSpeeds(passed: readonly PassedRuns[], runners: Runners): Speeds {
  const keyOf = (workflowId: string, name: string, runner: string) =>
    JSON.stringify([workflowId, name, runner]);
  const runs = new Map<string, number[]>();
  for (const { workflowId, name, passed: own, ...runner } of passed) {
    const key = keyOf(workflowId, name, runnerKey(runners.ofCell(runner).kind, runner.labels));
    getOrCreate(runs, key, (): number[] => []).push(...own);
  }
  const known = new Map<string, Speed | null>();
  return (cell, { runner, labels }) => {
    const [from, to] = [runnerKey(runners.ofCell(cell).kind, cell.labels), runnerKey(runner.kind, labels)];
    if (from === to) return null;
    const [here, there] = [from, to].map((key) => keyOf(cell.workflowId, cell.name, key)) as [string, string];
    return getOrCreate(known, `${here} ${to}`, () => speedOf(runs.get(here) ?? [], runs.get(there) ?? []));
  };
}

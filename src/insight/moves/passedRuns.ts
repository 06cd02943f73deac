import type { Context } from '../../context.ts';
import type { Window } from '../../platform/lib/days.ts';
import { getOrCreate } from '../../platform/lib/lists.ts';
import { readCells } from './getMoves.ts';
import type { TimedCell } from './queries.ts';
import { maxRuns } from './speed.ts';

/** Milliseconds of the newest jobs of a name that succeeded on a runner. */
export type PassedRuns = Pick<
  TimedCell,
  'workflowId' | 'name' | 'labels' | 'runnerGroup' | 'runnerKind' | 'passed'
>;

export async function readPassedRuns(
  ctx: Pick<Context, 'db' | 'actor'>,
  { window, workflowIds }: { window: Window; workflowIds: readonly string[] },
): Promise<PassedRuns[]> {
  const { cells } = await readCells(ctx, window, workflowIds);
  const found = new Map<string, PassedRuns>();
  for (const { workflowId, name, labels, runnerGroup, runnerKind, passed } of cells) {
    const key = JSON.stringify([workflowId, name, labels, runnerGroup, runnerKind]);
    const own = getOrCreate(found, key, () => {
      return { workflowId, name, labels, runnerGroup, runnerKind, passed: [] };
    });
    own.passed = [...own.passed, ...passed].slice(-maxRuns);
  }
  return [...found.values()];
}

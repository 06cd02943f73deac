import { runIdOf } from '../../ledger/runs/history.ts';
import type { BackfillProgram } from './context.ts';
import { findKnown } from './queries.ts';
import { idOf, runOrNull, type Item } from './readListed.ts';
import { readRun, type ReadRun } from './readRun.ts';
import type { Obstacle, Step } from './step.ts';

/** Runs that GitHub fails to give one after another before it is let rest. */
const mostFailedInARow = 3;

/** A listed run that cannot be read. */
export type UnreadRunItem = { id: number; run: Item; reason: string };

/** What came of the runs of a page, as far as they were asked for. */
export type Part = {
  read: ReadRun[];
  /** Ids of the runs that are done with: recorded, or gone. */
  handled: number[];
  unread: UnreadRunItem[];
  /** Ids of the runs that GitHub failed to give, now or before. */
  failing: number[];
  problems: string[];
  /** What kept the others from being read now. */
  stoppedBy: Obstacle | null;
};

/** Reads the runs as far as it comes; those that GitHub failed to give before come last. */
export async function readPart(step: Step, repository: string, wanted: readonly Item[]): Promise<Part> {
  const { program, task, signal } = step;
  const { failing = [] } = task.state.next;
  const etags = await findEtags(program, task.orgId, wanted);
  const part: Part = {
    ...{ read: [], handled: [], unread: [], failing: [...failing], problems: [], stoppedBy: null },
  };
  const hasFailed = (run: Item) => Number(failing.includes(idOf(run) ?? -1));
  let failedInARow = 0;
  for (const run of wanted.toSorted((a, b) => hasFailed(a) - hasFailed(b))) {
    if (signal.aborted || failedInARow === mostFailedInARow) break;
    const id = idOf(run);
    if (id === null) {
      part.problems.push('GitHub lists a run without an id.');
      continue;
    }
    const reading = await readRun(step, repository, { run, id, etag: etags.get(id) ?? null });
    if (!('stoppedBy' in reading)) {
      failedInARow = 0;
      if ('unreadBecause' in reading) {
        part.unread.push({ id, run, reason: reading.unreadBecause });
        continue;
      }
      part.handled.push(id);
      if (reading.read) part.read.push(reading.read);
      if (reading.problem !== null) part.problems.push(reading.problem);
      continue;
    }
    // What was called off says nothing of the run.
    if (signal.aborted) break;
    part.stoppedBy = reading.stoppedBy;
    if (reading.stoppedBy.kind !== 'unreachable') break;
    part.failing.push(id);
    failedInARow += 1;
  }
  return part;
}

/** The ETags of the runs' lists of jobs as they were recorded, by the provider's ids. */
async function findEtags({ clock, db }: BackfillProgram, orgId: string, runs: readonly Item[]) {
  const byId = new Map<number, string>();
  for (const run of runs) {
    const report = runOrNull(run, clock.now());
    const id = idOf(run);
    if (report && id !== null) byId.set(id, runIdOf(report));
  }
  const { etags } = await findKnown(db, orgId, [...byId.values()]);
  return new Map([...byId].flatMap(([id, runId]) => (etags.has(runId) ? [[id, etags.get(runId)!]] : [])));
}

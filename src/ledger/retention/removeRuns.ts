import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { Program } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { addDays, type Day } from '../../platform/lib/days.ts';
import { prunePoller, requireTask, taskPoller, type DoPiece, type Task } from '../../platform/work/tasks.ts';
import { oneByOne, type Poller } from '../../platform/work/worker.ts';
import {
  changeDetailsFrom,
  getOrganization,
  listOrganizations,
  lockCosts,
} from '../../tenancy/organizations/organizations.ts';
import { saveRemovedRows } from '../costs/columns/removedRows.ts';
import { isRepriced, deleteChanges } from '../repricing/reprices.ts';
import type { DeleteRunDependents } from '../runs/deleteRuns.ts';
import { findOldRuns, removeOldRuns } from '../runs/removal.ts';
import {
  firstDayLeft,
  firstDayToKeep,
  removalKind,
  startRemoval,
  type RemovalInput,
  type RemovalState,
  type RetentionLimit,
} from './retention.ts';

export type RemovalProgram = Pick<Program, 'db' | 'clock' | 'subscribers' | 'telemetry'> &
  Pick<RetentionLimit, 'retentionDays'> &
  RemovalSums & {
    deleteRunDependents: DeleteRunDependents;
    /** Null if removed runs are not exported. */
    exportRemoved: ExportRemoved | null;
    log: Pick<Logger, 'warn'>;
  };

type Days = { from: Day | null; until: Day };

/** Sums that cannot be computed once the runs of these days are removed. */
export type RemovalSums = {
  /** Computes some of them. Returns false if there are more to compute. */
  sumBefore: (orgId: string, days: Days) => Promise<boolean>;
  /** Returns false if a run has changed since, or is being changed. */
  isSummed: (tx: Transaction, orgId: string, days: Days) => Promise<boolean>;
};

type Step = { orgId: string; removal: string; step: number };

/** Copies runs to safe storage before they are removed. A step that is repeated has the same number. */
export type ExportRemoved = {
  /** Returns what writes the files, which may take long. `requireTask` throws if another worker has the task. */
  read: (
    tx: Transaction,
    step: Step,
    runIds: readonly string[],
  ) => Promise<(requireTask: () => Promise<void>) => Promise<void>>;
  /** Deletes the files of a step that removes nothing after all. */
  discard: (step: Step) => Promise<void>;
};

/** The copies could not be written, so nothing may be removed. */
export class ExportFailed extends Error {}

/** Few, because recordings wait for the organization's lock meanwhile. */
const maxPieceRuns = 300;
const keptDays = 30;

export function retentionPollers(program: RemovalProgram): Poller[] {
  return [
    {
      name: 'start removals',
      everyMilliseconds: 60_000,
      run: async () => {
        await startRemovals(program);
        return false;
      },
    },
    removalPoller(program),
    prunePoller(program, 'prune removals', removalKind, keptDays),
  ];
}

async function startRemovals(program: RemovalProgram): Promise<void> {
  const { db } = program;
  const due = (await listOrganizations({ db })).flatMap((organization) => {
    const before = firstDayToKeep(program, organization);
    const { orgId, retention } = organization;
    return before !== null && (retention.detailsFrom ?? '') < before ? [{ orgId, before }] : [];
  });
  await oneByOne(due, (each) => db.transaction().execute((tx) => startRemoval(tx, program, each)), {
    nameOf: ({ orgId }) => [`organization ${orgId}`, orgId],
    message: 'removals of old runs could not start',
  });
}

export function removalPoller(program: RemovalProgram, size = maxPieceRuns): Poller {
  return taskPoller(program, removalKind, doRemoval(program, size));
}

const repriceWaitMilliseconds = 60_000;
const changeWaitMilliseconds = 5_000;
const exportWaitMilliseconds = 60_000;

type Removal = Task<RemovalInput, RemovalState>;

/** A piece removes some runs, oldest first. If the process is killed, only the current piece is lost. */
function doRemoval(program: RemovalProgram, limit: number): DoPiece<RemovalInput, RemovalState> {
  const { db, clock, deleteRunDependents, sumBefore, isSummed, exportRemoved, log } = program;
  return async (task, save) => {
    try {
      await removePiece(task, save);
    } catch (error) {
      if (!(error instanceof ExportFailed)) throw error;
      const { orgId, id } = task;
      log.warn({ orgId, task: id, err: error }, 'old runs were not removed: their export failed');
      const dueAt = new Date(clock.now().getTime() + exportWaitMilliseconds);
      await save(db, { dueAt, error: `Nothing is removed while the export fails: ${error.message}` });
    }
  };

  async function removePiece(task: Removal, save: Parameters<DoPiece<RemovalInput, RemovalState>>[1]) {
    const { orgId, input, state } = task;
    // A reprice works on the same jobs.
    if (await isRepriced(db, orgId)) {
      return save(db, { dueAt: new Date(clock.now().getTime() + repriceWaitMilliseconds) });
    }
    const days = { from: firstDayLeft(task), until: addDays(input.before, -1) };
    if (!(await sumBefore(orgId, days))) return save(db, {});
    const exported = exportRemoved && (await copyPiece(exportRemoved, task));
    await db.transaction().execute(async (tx) => {
      // Removal takes runs from lists, although costs stay.
      await lockCosts(tx, orgId);
      if (!(await isStillWanted(program, tx, task))) {
        // The next attempt deletes the files.
        if (exported && exported.length > 0) return save(tx, { dueAt: clock.now() });
        await changeDetailsFrom(tx, orgId, days.from);
        return save(tx, { isDone: true });
      }
      if (!(await isSummed(tx, orgId, days))) {
        return save(tx, { dueAt: new Date(clock.now().getTime() + changeWaitMilliseconds) });
      }
      const found = await findOldRuns(tx, orgId, { before: input.before, limit });
      // Some of these runs were deleted in the meantime, so the files of this step must be rewritten.
      if (exported && !isDeepStrictEqual(found.ids, exported)) return save(tx, { dueAt: clock.now() });
      const done = Number(task.done) + found.ids.length;
      await save(tx, {
        state: { jobs: state.jobs + found.jobs, lastDay: found.lastDay ?? state.lastDay },
        done,
        total: found.hasMore ? Math.max(done, Number(task.total ?? 0)) : done,
        isDone: !found.hasMore,
      });
      if (found.ids.length > 0) {
        await saveRemovedRows(tx, orgId, found.ids);
        await deleteRunDependents(tx, orgId, found.ids);
        await deleteChanges(tx, orgId, found.ids);
        await removeOldRuns(tx, orgId, found.ids);
      }
    });
  }

  /**
   * Writes outside of a transaction, because a network folder may hang. Runs are found while this worker holds the
   * task, so a worker that lost the task cannot overwrite a step's files with runs of the next step.
   */
  async function copyPiece(exportRuns: ExportRemoved, task: Removal): Promise<string[]> {
    const { orgId, input } = task;
    const step = { orgId, removal: task.id, step: Number(task.done) };
    const { ids, write } = await db.transaction().execute(async (tx) => {
      const isWanted = await isStillWanted(program, tx, task);
      const found = isWanted ? await findOldRuns(tx, orgId, { before: input.before, limit }) : { ids: [] };
      // No progress yet: saving it would reset the count of failed attempts.
      await requireTask(tx, task);
      if (found.ids.length === 0) return { ids: [], write: () => exportRuns.discard(step) };
      return { ids: found.ids, write: await exportRuns.read(tx, step, found.ids) };
    });
    await write(() => requireTask(db, task));
    return ids;
  }
}

/** The retention may have been extended in the meantime. */
async function isStillWanted(
  program: Pick<RemovalProgram, 'clock' | 'retentionDays'>,
  tx: Transaction,
  { orgId, input }: Pick<Removal, 'orgId' | 'input'>,
): Promise<boolean> {
  const before = firstDayToKeep(program, await getOrganization({ db: tx, actor: { orgId } }));
  return before !== null && before >= input.before;
}

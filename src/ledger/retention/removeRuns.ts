import type { Logger } from 'pino';
import type { Program } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { addDays } from '../../platform/lib/days.ts';
import { removeEndedTasks, taskPoller, type DoPiece, type Task } from '../../platform/work/tasks.ts';
import { oneByOne, type Poller } from '../../platform/work/worker.ts';
import {
  changeDetailsFrom,
  getOrganization,
  listOrganizations,
  lockOrganization,
} from '../../tenancy/organizations/organizations.ts';
import { keepColumns } from '../costs/keptColumns.ts';
import { findRepriced, forgetChanges } from '../repricing/reprices.ts';
import type { ForgetRuns } from '../runs/deleteRuns.ts';
import { findOldRuns, removeOldRuns } from '../runs/removal.ts';
import {
  firstKeptDay,
  removalKind,
  shorter,
  startRemoval,
  type RemovalInput,
  type RemovalState,
  type RetentionLimit,
} from './retention.ts';

export type RemovalProgram = Pick<Program, 'db' | 'clock' | 'subscribers' | 'telemetry'> &
  Pick<RetentionLimit, 'retentionDays'> & {
    forgetRuns: ForgetRuns;
    /** Null if nobody asked for it. */
    exportRemoved: ExportRemoved | null;
    log: Pick<Logger, 'warn'>;
  };

/** Copies the runs to a safe place before they are removed. A step has the same number when it is repeated. */
export type ExportRemoved = (
  tx: Transaction,
  of: { orgId: string; removal: string; step: number },
  runIds: readonly string[],
) => Promise<void>;

/** The copies could not be written: nothing may be removed. */
export class ExportFailed extends Error {}

/** Few, because everybody else waits for the organization's ledger. */
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
    {
      name: 'prune removals',
      everyMilliseconds: 3_600_000,
      run: async () => {
        const before = new Date(program.clock.now().getTime() - keptDays * 86_400_000);
        await removeEndedTasks(program.db, removalKind, { before });
        return false;
      },
    },
  ];
}

async function startRemovals(program: RemovalProgram): Promise<void> {
  const { db, clock, retentionDays } = program;
  const due = (await listOrganizations({ db })).flatMap(({ orgId, retention }) => {
    const before = firstKeptDay(clock, shorter(retention.runRetentionDays, retentionDays));
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
const exportWaitMilliseconds = 60_000;

type Removal = Task<RemovalInput, RemovalState>;

/** A piece removes some runs, the oldest first: a kill loses the piece, and the next start continues. */
function doRemoval(
  { db, clock, retentionDays, forgetRuns, exportRemoved, log }: RemovalProgram,
  limit: number,
): DoPiece<RemovalInput, RemovalState> {
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
    // A reprice goes through these jobs too.
    if ((await findRepriced(db)).has(orgId)) {
      return save(db, { dueAt: new Date(clock.now().getTime() + repriceWaitMilliseconds) });
    }
    await db.transaction().execute(async (tx) => {
      await lockOrganization(tx, orgId);
      if (!(await isStillWanted(tx, task))) {
        const from = state.lastDay === null ? input.formerFrom : addDays(state.lastDay, 1);
        await changeDetailsFrom(tx, orgId, from);
        return save(tx, { isDone: true });
      }
      const found = await findOldRuns(tx, orgId, { before: input.before, limit });
      const done = Number(task.done) + found.ids.length;
      // First, because a worker that has lost the task must not replace the files of the other one.
      await save(tx, {
        state: { jobs: state.jobs + found.jobs, lastDay: found.lastDay ?? state.lastDay },
        done,
        total: found.hasMore ? Math.max(done, Number(task.total ?? 0)) : done,
        isDone: !found.hasMore,
      });
      if (found.ids.length > 0) {
        await exportRemoved?.(tx, { orgId, removal: task.id, step: Number(task.done) }, found.ids);
        await keepColumns(tx, orgId, found.ids);
        await forgetRuns(tx, orgId, found.ids);
        await forgetChanges(tx, orgId, found.ids);
        await removeOldRuns(tx, orgId, found.ids);
      }
    });
  }

  /** Somebody may have set a longer time meanwhile. */
  async function isStillWanted(
    tx: Transaction,
    { orgId, input }: { orgId: string; input: RemovalInput },
  ): Promise<boolean> {
    const { retention } = await getOrganization({ db: tx, actor: { orgId } });
    const before = firstKeptDay(clock, shorter(retention.runRetentionDays, retentionDays));
    return before !== null && before >= input.before;
  }
}

import type { Program } from '../../context.ts';
import type { RemovalSums } from '../../ledger/retention/removeRuns.ts';
import { addDays, dayOf, type Day } from '../../platform/lib/days.ts';
import {
  addTask,
  countTasksUnderWay,
  prunePoller,
  taskPoller,
  type DoPiece,
  type TaskKind,
} from '../../platform/work/tasks.ts';
import { oneByOne, type Poller } from '../../platform/work/worker.ts';
import { listOrganizations } from '../../tenancy/organizations/organizations.ts';
import type { StaleUnit } from './rollups.queries.ts';
import { findStale, jobsOf, makeUnits, type RollupContext } from './rollups.ts';

type WasteProgram = Pick<Program, 'db' | 'providers' | 'clock' | 'telemetry'>;

const kind: TaskKind = { name: 'waste rollup', idPrefix: 'waste' };

type Input = { until: Day };
type State = { from: Day | null };

/** With more jobs, the work becomes a task, which shows its progress and survives a restart. */
const maxJobsAtOnce = 20_000;
const keptDays = 30;

/** Sums up the waste of past days, so that requests find the sums ready. */
export function wastePollers(program: WasteProgram, maxJobs = maxJobsAtOnce): Poller[] {
  return [
    {
      name: 'plan waste rollups',
      everyMilliseconds: 3_600_000,
      run: (signal) => plan(program, maxJobs, signal),
    },
    taskPoller(program, kind, sumPiece(program, maxJobs)),
    prunePoller(program, 'prune waste rollups', kind, keptDays),
  ];
}

async function plan(program: WasteProgram, maxJobs: number, signal: AbortSignal): Promise<boolean> {
  const { db, clock } = program;
  const until = addDays(dayOf(clock.now()), -1);
  const planNext = async ({ orgId }: { orgId: string }) => {
    if (!signal.aborted) await planOf(program, { orgId, until }, maxJobs);
  };
  await oneByOne(await listOrganizations({ db }), planNext, {
    nameOf: ({ orgId }) => [`organization ${orgId}`, orgId],
    message: 'waste could not be summed up',
  });
  return false;
}

async function planOf(
  program: WasteProgram,
  { orgId, until }: { orgId: string; until: Day },
  maxJobs: number,
): Promise<void> {
  const { db, clock } = program;
  const ctx = contextOf(program, orgId);
  const stale = await findStale(db, ctx, { until });
  const jobs = jobsOf(stale);
  if (jobs <= maxJobs) return makeUnits(ctx, stale);
  await db.transaction().execute(async (tx) => {
    if ((await countTasksUnderWay(tx, kind, orgId)) > 0) return;
    const input: Input = { until };
    const state: State = { from: null };
    await addTask(tx, clock, kind, { orgId, input, state, total: jobs });
  });
}

function contextOf({ db, providers }: Pick<WasteProgram, 'db' | 'providers'>, orgId: string): RollupContext {
  return { db, providers, actor: { orgId } };
}

/** Oldest days first. */
function sumPiece(program: WasteProgram, maxJobs: number): DoPiece<Input, State> {
  return async ({ orgId, input, state, done }, save) => {
    const ctx = contextOf(program, orgId);
    const { from } = state;
    const stale = await findStale(program.db, ctx, { until: input.until, ...(from !== null && { from }) });
    const piece = firstOf(stale, maxJobs);
    await makeUnits(ctx, piece);
    await save(program.db, {
      state: { from: piece.at(-1)?.day ?? from },
      done: Number(done) + jobsOf(piece),
      isDone: piece.length === stale.length,
    });
  };
}

/** A piece is short, so it does not check whether the worker is stopping. */
function firstOf(units: readonly StaleUnit[], maxJobs: number): StaleUnit[] {
  let jobs = 0;
  return units.filter((unit, index) => (jobs += unit.jobs) <= maxJobs || index === 0);
}

/** Computes the sums that remain after retention removes the runs. */
export function sumsBeforeRemoval(
  program: Pick<WasteProgram, 'db' | 'providers'>,
  maxJobs = maxJobsAtOnce,
): RemovalSums {
  return {
    sumBefore: async (orgId, days) => {
      const ctx = contextOf(program, orgId);
      const stale = await findStale(program.db, ctx, days);
      const piece = firstOf(stale, maxJobs);
      await makeUnits(ctx, piece);
      return piece.length === stale.length;
    },
    isSummed: async (tx, orgId, days) => (await findStale(tx, contextOf(program, orgId), days)).length === 0,
  };
}

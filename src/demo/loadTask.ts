import type { App } from '../app.ts';
import type { Context } from '../context.ts';
import { findRecordedDays } from '../ledger/runs/reading.ts';
import { cliActor } from '../platform/lib/actor.ts';
import { PublicError } from '../platform/lib/errors.ts';
import {
  addTask,
  listTasks,
  listTasksUnderWay,
  taskPoller,
  type Task,
  type TaskKind,
} from '../platform/work/tasks.ts';
import type { Poller } from '../platform/work/worker.ts';
import { recordAudit } from '../tenancy/audit/audit.ts';
import { lockOrganization } from '../tenancy/organizations/organizations.ts';
import { loadDemo, type DemoSize } from './load.ts';

const kind: TaskKind = { name: 'demo', idPrefix: 'demo' };

/** `until` is when it was asked for, so that a load that starts again invents the same history. */
type Input = { until: string; startedBy: string };

export type DemoLoad = Task<Input, null>;

/** Less than `runcost demo` loads, because a person waits in front of the page. */
const usualSize: DemoSize = { days: 90, runs: 6_000, seed: 1 };

/** Returns the load that is under way, if there is one. */
export async function startDemo(ctx: Context): Promise<DemoLoad> {
  const { actor, clock, db } = ctx;
  const { orgId } = actor;
  return db.transaction().execute(async (tx) => {
    await lockOrganization(tx, orgId);
    const [underWay] = await listTasksUnderWay<Input, null>(tx, kind, orgId);
    if (underWay) return underWay;
    if ((await findRecordedDays({ db: tx, actor })) !== null) {
      const message = 'This organization has runs. The demo is loaded only where there are none.';
      throw new PublicError('conflict', 'organization_has_runs', message);
    }
    const input = { until: clock.now().toISOString(), startedBy: actor.name };
    const asked = { orgId, input, state: null, total: usualSize.runs };
    const load = await addTask<Input, null>(tx, clock, kind, asked);
    await recordAudit(tx, ctx, 'demo.load', load.id);
    return load;
  });
}

/** The latest load. */
export async function getDemo({ db, actor }: Pick<Context, 'db' | 'actor'>): Promise<DemoLoad | null> {
  const { rows } = await listTasks<Input, null>(db, kind, { orgId: actor.orgId, page: 1, perPage: 1 });
  return rows[0] ?? null;
}

export function demoPollers(program: App, size = usualSize): Poller[] {
  const { db } = program;
  return [
    taskPoller<Input, null>(program, kind, async ({ orgId, input }, save, signal) => {
      const ctx = { ...program, actor: { ...cliActor(orgId), name: input.startedBy } };
      const report = (done: number) => save(db, { done, total: size.runs });
      await loadDemo(program, ctx, size, { report, signal, now: new Date(input.until) });
      if (!signal.aborted) await save(db, { isDone: true });
    }),
  ];
}

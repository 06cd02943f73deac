import type { AuditAction } from '../../audited.ts';
import type { Context } from '../../context.ts';
import type { Page, Paged } from '../../platform/lib/lists.ts';
import { cancelTask, getTask, listTasks, type Task, type TaskKind } from '../../platform/work/tasks.ts';
import { recordAudit } from './audit.ts';

type Reader = Pick<Context, 'db' | 'actor'>;
type Canceller = Pick<Context, 'db' | 'actor' | 'clock' | 'subscribers'>;

/** What people do with tasks of a kind: read and cancel them. `cancelled` is the word of the audit log. */
export function tasksOf<Input, State>(kind: TaskKind, cancelled: AuditAction) {
  return {
    get: ({ db, actor }: Reader, id: string): Promise<Task<Input, State>> =>
      getTask<Input, State>(db, kind, { orgId: actor.orgId, id }),
    list: ({ db, actor }: Reader, page: Page): Promise<Paged<Task<Input, State>>> =>
      listTasks<Input, State>(db, kind, { orgId: actor.orgId, ...page }),
    cancel: (ctx: Canceller, id: string): Promise<Task<Input, State>> =>
      ctx.db.transaction().execute(async (tx) => {
        const task = await cancelTask<Input, State>(tx, ctx.clock, kind, { orgId: ctx.actor.orgId, id });
        await recordAudit(tx, ctx, cancelled, id);
        return task;
      }),
  };
}

import type { Context } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { invalid, PublicError } from '../../platform/lib/errors.ts';
import { differences, recordAudit } from '../../tenancy/audit/audit.ts';
import { authorOf } from '../../tenancy/members/members.ts';
import { findDecisionToChange, putDecision, removeDecision, type DecisionRow } from './decisions.queries.ts';
import { fixId } from './fixes.ts';
import { listFixes } from './fixesView.ts';
import type { WasteContext } from './getWaste.ts';
import { findWorkflows } from './queries.ts';
import { fixKinds, type FixKind } from './suggest.ts';

export type Decision = Pick<DecisionRow, 'status'> & { reason?: string | null };

export async function decide(
  ctx: Context & Pick<WasteContext, 'plan'>,
  id: string,
  { status, reason = null }: Decision,
): Promise<DecisionRow> {
  const { db, actor, clock } = ctx;
  const promisedNanos = status === 'done' ? await findPromise(ctx, id) : null;
  return db.transaction().execute(async (tx) => {
    const key = await requireFix(tx, ctx, id);
    if (status === 'dismissed' && !reason) throw invalid('reason', 'must say why the fix is dismissed');
    const before = await findDecisionToChange(tx, key);
    const named = { status, reason };
    const details = before ? differences({ status: before.status, reason: before.reason }, named) : named;
    if (before && !details) return before;
    // A new reason does not change the day from which costs are compared, nor what was promised then.
    const decided =
      before?.status === status
        ? { decidedAt: before.decidedAt, promisedNanos: before.promisedNanos }
        : { decidedAt: clock.now(), promisedNanos };
    const row: DecisionRow = { ...key, ...named, ...(await authorOf(tx, actor)), ...decided };
    await putDecision(tx, row);
    await recordAudit(tx, ctx, 'waste_fix.decide', id, details ?? {});
    return row;
  });
}

/** Removes a decision, even if its workflow no longer exists. */
export async function reopen(ctx: Context, id: string): Promise<void> {
  const { db, actor } = ctx;
  await db.transaction().execute(async (tx) => {
    const named = readId(id);
    const decision = named && (await findDecisionToChange(tx, { orgId: actor.orgId, ...named }));
    if (!decision) throw noFix(`There is no decision about the fix ${id}.`);
    await removeDecision(tx, decision);
    const { status, reason } = decision;
    await recordAudit(tx, ctx, 'waste_fix.reopen', id, { status, reason });
  });
}

const promiseDays = 30;

/** What the fix saves a month now. Null if there is nothing left to change. */
async function findPromise(ctx: WasteContext, id: string): Promise<bigint | null> {
  const named = readId(id);
  if (!named) return null;
  const { workflowId } = named;
  const { fixes } = await listFixes(ctx, { days: promiseDays, workflowId, repo: undefined });
  const fix = fixes.find((each) => each.id === id);
  return fix && fix.suggestions.length > 0 ? fix.monthlyNanos : null;
}

function readId(id: string): { workflowId: string; category: FixKind } | null {
  const [workflowId = '', name = ''] = id.split('.', 2);
  const category = fixKinds.find((each) => each === name && fixId(workflowId, each) === id);
  return category ? { workflowId, category } : null;
}

async function requireFix(tx: Transaction, { actor }: Context, id: string) {
  const named = readId(id);
  if (!named) {
    const names = fixKinds.join(', ');
    throw noFix(`A fix is a workflow's id, a dot and a category (${names}), such as wf_….superseded.`);
  }
  const filter = { workflowId: named.workflowId, repo: undefined };
  const [workflow] = await findWorkflows(tx, actor.orgId, filter);
  if (!workflow) throw noFix(`There is no workflow ${named.workflowId} in this organization.`);
  return { orgId: actor.orgId, ...named };
}

function noFix(message: string): PublicError {
  return new PublicError('not_found', 'fix_not_found', message);
}

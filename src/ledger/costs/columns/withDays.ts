import { inSnapshot, type Transaction } from '../../../platform/db/database.ts';
import type { Window } from '../../../platform/lib/days.ts';
import { dimensionsOf, isPullRequestDimension, isStoredDimension } from '../costQuestion.ts';
import type { WorkflowNames } from '../filters.ts';
import { findWorkflowNames } from '../workflows.queries.ts';
import { readOtherDays } from './billedDays.ts';
import type { ColumnName, RowKind } from './dayColumns.queries.ts';
import { columnsToDerive, findDeriving, withDerived, type Deriving } from './derivedColumns.ts';
import type { OwnerQuestion } from './ownerColumns.ts';
import { columnsForPullRequests, withPullRequests } from './pullRequestColumns.ts';
import { makeColumns, readDays, readRollups, type ColumnContext } from './readDays.ts';
import type { Grain, RollupName } from './rollups.queries.ts';
import type { DayRows } from './sumRows.ts';

/** All questions of a selection use the ownership rules of the same day. */
export type DaySelection = {
  rowKind: RowKind;
  /** Set if rollups answer all of the questions. */
  grain?: Grain | null;
  /** Whether each day has the lines of the bill as further rows. */
  hasBill?: boolean;
  questions: readonly OwnerQuestion[];
  windows: readonly Window[];
  /** Columns in addition to those of the dimensions. */
  columns: readonly (ColumnName | RollupName)[];
};

export type Days = {
  tx: Transaction;
  /** Empty if no dimension and no rule needs names. */
  workflows: WorkflowNames;
  /** The days of a window, or of a part of one, oldest first, and then those of the bill. */
  read: (selection: DaySelection, window: Window) => Promise<DayRows[]>;
};

/**
 * Builds the columns that the selections need, then runs `work` in a snapshot, so that days, rules and names agree.
 */
export async function withDays<T>(
  ctx: ColumnContext,
  selections: readonly DaySelection[],
  work: (days: Days) => Promise<T>,
): Promise<T> {
  for (const { rowKind, windows, grain } of selections) {
    if (!grain) await makeColumns(ctx, ctx.actor.orgId, rowKind, windows);
  }
  return inSnapshot(ctx.db, async (tx) => {
    let workflows: WorkflowNames = new Map();
    const plans = new Map<DaySelection, DayPlan>();
    for (const selection of selections) {
      const plan = await planDays(tx, ctx, selection, workflows);
      plans.set(selection, plan);
      workflows = plan.workflows;
    }
    return work({ tx, workflows, read: (selection, window) => plans.get(selection)!.read(tx, window) });
  });
}

type DayPlan = Pick<Days, 'workflows'> & { read: (tx: Transaction, window: Window) => Promise<DayRows[]> };

/**
 * Plans which columns to read for the questions. Later transactions can use the plan, with this one's rules and
 * names.
 */
export async function planDays(
  tx: Transaction,
  { actor }: { actor: Pick<ColumnContext['actor'], 'orgId'> },
  { rowKind, grain, hasBill, questions, windows, columns }: DaySelection,
  named: WorkflowNames = new Map(),
): Promise<DayPlan> {
  const { orgId } = actor;
  const deriving = await findDeriving({ db: tx, actor }, questions, windows);
  const needed = questions.flatMap((question) => columnsOf(question, deriving));
  const names = [...new Set([...needed, ...columns])];
  const needsPullRequests = questions.flatMap(dimensionsOf).some(isPullRequestDimension);
  const needsNames = named.size === 0 && needed.includes('workflowId');
  const workflows = needsNames ? await findWorkflowNames(tx, orgId) : named;
  const rules = { ...deriving, workflows, on: questions[0]?.ownersOn };
  return {
    workflows,
    read: async (within, window) => {
      const days = grain
        ? await readRollups(within, orgId, { rowKind, grain, names: names as RollupName[], window })
        : await readDays(within, orgId, { rowKind, names: names as ColumnName[], window });
      const others = hasBill ? await readOtherDays(within, orgId, names as ColumnName[], window) : [];
      const derived = [...days, ...others].map((day) => withDerived(day, rules));
      return needsPullRequests ? withPullRequests(within, orgId, derived) : derived;
    },
  };
}

function columnsOf(question: OwnerQuestion, deriving: Deriving): ColumnName[] {
  const asked = dimensionsOf(question);
  const ofPullRequests = asked.some(isPullRequestDimension) ? columnsForPullRequests : [];
  return [...asked.filter(isStoredDimension), ...columnsToDerive(deriving), ...ofPullRequests];
}

import { inSnapshot, type Transaction } from '../../../platform/db/database.ts';
import type { Window } from '../../../platform/lib/days.ts';
import { dimensionsOf, isOwnerDimension } from '../costQuestion.ts';
import type { WorkflowNames } from '../filters.ts';
import { findWorkflowNames } from '../workflows.queries.ts';
import type { ColumnName, Facts } from './dayColumns.queries.ts';
import {
  columnsForOwners,
  findOwners,
  withOwners,
  type OwnerQuestion,
  type OwnersOf,
} from './ownerColumns.ts';
import { makeColumns, readDays, type Reader } from './readDays.ts';
import type { DayFacts } from './sumRows.ts';

export type DaySelection = {
  facts: Facts;
  questions: readonly OwnerQuestion[];
  windows: readonly Window[];
  /** Columns in addition to those of the dimensions. */
  columns: readonly ColumnName[];
};

export type Days = {
  tx: Transaction;
  /** Empty if no dimension and no rule needs names. */
  workflows: WorkflowNames;
  /** The days of a window, or of a part of one, oldest first. */
  read: (window: Window) => Promise<DayFacts[]>;
};

/**
 * Builds the columns that the questions need, then runs `work` in a snapshot, so that days, rules and names agree.
 * All questions ask for jobs or all for runs, and all use the ownership rules of the same day.
 */
export async function withDays<T>(
  reader: Reader,
  selection: DaySelection,
  work: (days: Days) => Promise<T>,
): Promise<T> {
  await makeColumns(reader, reader.actor.orgId, selection.facts, selection.windows);
  return inSnapshot(reader.db, async (tx) => {
    const { workflows, read } = await planDays(tx, reader, selection);
    return work({ tx, workflows, read: (window) => read(tx, window) });
  });
}

type DayPlan = Pick<Days, 'workflows'> & { read: (tx: Transaction, window: Window) => Promise<DayFacts[]> };

/**
 * Plans which columns to read for the questions. Later transactions can use the plan, with this one's rules and
 * names.
 */
export async function planDays(
  tx: Transaction,
  { actor }: Pick<Reader, 'actor'>,
  { facts, questions, windows, columns }: DaySelection,
): Promise<DayPlan> {
  const owners = await findOwners({ db: tx, actor }, questions, windows);
  const needed = questions.flatMap((question) => columnsOf(question, owners));
  const names = [...new Set([...needed, ...columns])];
  const workflows = needed.includes('workflowId') ? await findWorkflowNames(tx, actor.orgId) : new Map();
  const rules = { owners, workflows, on: questions[0]?.ownersOn };
  return {
    workflows,
    read: async (within, window) =>
      (await readDays(within, actor.orgId, { facts, names, window })).map((day) => withOwners(day, rules)),
  };
}

function columnsOf(question: OwnerQuestion, owners: OwnersOf): ColumnName[] {
  const stored = dimensionsOf(question).filter(
    (dimension) => dimension !== 'day' && dimension !== 'weekday' && !isOwnerDimension(dimension),
  ) as ColumnName[];
  return [...stored, ...columnsForOwners(owners)];
}

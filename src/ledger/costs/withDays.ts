import { inSnapshot, type Transaction } from '../../platform/db/database.ts';
import type { Window } from '../../platform/lib/days.ts';
import { dimensionsOf, isOwnerDimension } from './costQuestion.ts';
import type { ColumnName, Facts } from './dayColumns.queries.ts';
import type { WorkflowNames } from './filters.ts';
import {
  columnsForOwners,
  findOwners,
  withOwners,
  type OwnerQuestion,
  type OwnersOf,
} from './ownerColumns.ts';
import { makeColumns, readDays, type Reader } from './readDays.ts';
import type { DayFacts } from './sumRows.ts';
import { findWorkflowNames } from './workflows.queries.ts';

type Asked = {
  facts: Facts;
  questions: readonly OwnerQuestion[];
  windows: readonly Window[];
  /** Beside those of the dimensions. */
  columns: readonly ColumnName[];
};

type Days = {
  tx: Transaction;
  /** Empty if no dimension and no rule needs them. */
  workflows: WorkflowNames;
  /** The days of a window or of a part of one, oldest first. */
  read: (window: Window) => Promise<DayFacts[]>;
};

/**
 * Makes the columns that the questions need, then does `work` in a snapshot, so that days, rules and names agree. The
 * questions are about the same facts, by the rules of the same day.
 */
export async function withDays<T>(
  reader: Reader,
  { facts, questions, windows, columns }: Asked,
  work: (days: Days) => Promise<T>,
): Promise<T> {
  const { actor, db } = reader;
  await makeColumns(reader, actor.orgId, facts, windows);
  return inSnapshot(db, async (tx) => {
    const owners = await findOwners({ db: tx, actor }, questions, windows);
    const asked = questions.flatMap((question) => columnsOf(question, owners));
    const names = [...new Set([...asked, ...columns])];
    const workflows = asked.includes('workflowId') ? await findWorkflowNames(tx, actor.orgId) : new Map();
    const rules = { owners, workflows, on: questions[0]?.ownersOn };
    return work({
      tx,
      workflows,
      read: async (window) =>
        (await readDays(tx, actor.orgId, { facts, names, window })).map((day) => withOwners(day, rules)),
    });
  });
}

function columnsOf(question: OwnerQuestion, owners: OwnersOf): ColumnName[] {
  const stored = dimensionsOf(question).filter(
    (dimension) => dimension !== 'day' && dimension !== 'weekday' && !isOwnerDimension(dimension),
  ) as ColumnName[];
  return [...stored, ...columnsForOwners(owners)];
}

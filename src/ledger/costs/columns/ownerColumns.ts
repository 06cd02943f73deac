import { covering, type Window } from '../../../platform/lib/days.ts';
import { invalid } from '../../../platform/lib/errors.ts';
import { createOwners, type Mapping, type Owners } from '../../ownership/owners.ts';
import { listMappings } from '../../ownership/rules.ts';
import {
  dimensionsOf,
  isOwnerDimension,
  ownerKindOf,
  type CostQuestion,
  type OwnerDimension,
} from '../costQuestion.ts';
import type { WorkflowNames } from '../filters.ts';
import { labelsIn, type ColumnName, type RowKind } from './dayColumns.queries.ts';
import type { Column } from './dayColumns.ts';
import { mappedColumn } from './mappedColumn.ts';
import type { DayRows as StoredRows, ColumnContext } from './readDays.ts';
import { constant } from './sumRows.ts';

export type OwnersOf = ReadonlyMap<OwnerDimension, Owners>;

export type OwnerQuestion = Pick<CostQuestion, 'groupBy' | 'filters' | 'ownersOn' | 'namesRules'> &
  Partial<Pick<CostQuestion, 'metric'>> & { of?: RowKind };

/** All questions ask for jobs or all for runs, and all use the ownership rules of the same day, with the same names. */
export async function findOwners(
  { db, actor }: Pick<ColumnContext, 'db'> & { actor: Pick<ColumnContext['actor'], 'orgId'> },
  questions: readonly OwnerQuestion[],
  windows: readonly Window[],
): Promise<OwnersOf> {
  const asked = [...new Set(questions.flatMap(dimensionsOf).filter(isOwnerDimension))];
  if (asked.length === 0) return new Map();
  const rules = await listMappings(db, actor.orgId);
  const [{ ownersOn, namesRules, metric, of }] = questions as [OwnerQuestion];
  const mappings = namesRules ? rules.map((rule) => ({ ...rule, owner: rule.id })) : rules;
  const days = ownersOn ? { start: ownersOn, end: ownersOn } : covering(windows);
  const owners = ownersFor(asked, mappings, days);
  for (const [name, { readsLabels }] of owners) {
    if (!readsLabels) continue;
    if (metric === 'runs') throw severalOwners('metric', `must not be runs with ${ownerKindOf[name]}`);
    if (of === 'runs') throw severalOwners(ownerKindOf[name], 'cannot be asked of runs');
  }
  return owners;
}

export function ownersFor(
  dimensions: readonly OwnerDimension[],
  mappings: readonly Mapping[],
  days: Pick<Window, 'start' | 'end'>,
): OwnersOf {
  return new Map(dimensions.map((name) => [name, createOwners(mappings, ownerKindOf[name], days)]));
}

function severalOwners(field: string, fault: string) {
  return invalid(
    field,
    `${fault}, because a rule maps a label and the jobs of a run differ in labels; ask for jobs`,
  );
}

export function columnsForOwners(owners: OwnersOf): ColumnName[] {
  const all = [...owners.values()];
  if (all.length === 0) return [];
  return [
    'repository',
    ...(all.some(({ readsWorkflows }) => readsWorkflows) ? (['workflowId'] as const) : []),
    ...(all.some(({ readsLabels }) => readsLabels) ? (['label'] as const) : []),
  ];
}

export function ownerColumn(
  rows: StoredRows,
  { of, readsWorkflows, readsLabels }: Owners,
  { workflows, day }: { workflows: WorkflowNames; day: string },
): Column {
  const unread = constant(rows, null);
  const columns = [
    rows.column('repository'),
    readsWorkflows ? rows.column('workflowId') : unread,
    readsLabels ? rows.column('label') : unread,
  ];
  return mappedColumn(rows, columns, ([repository, id, label]) => {
    const workflowId = id ?? '';
    return of({
      repository: repository ?? '',
      workflowId,
      workflowName: workflows.get(workflowId)?.name ?? workflowId,
      labels: labelsIn(label),
      day,
    });
  });
}

import type { Database } from '../../../platform/db/database.ts';
import type { Window } from '../../../platform/lib/days.ts';
import type { ActorKinds } from '../../actors/actorKinds.ts';
import { readActorKinds } from '../../actors/patterns.ts';
import { dimensionsOf, isOwnerDimension, type CostQuestion, type Dimension } from '../costQuestion.ts';
import type { WorkflowNames } from '../filters.ts';
import type { ColumnName } from './dayColumns.queries.ts';
import type { Column } from './dayColumns.ts';
import { mappedColumn } from './mappedColumn.ts';
import {
  columnsForOwners,
  findOwners,
  ownerColumn,
  type OwnerQuestion,
  type OwnersOf,
} from './ownerColumns.ts';
import type { ColumnContext, DayRows as StoredRows } from './readDays.ts';
import type { DayRows } from './sumRows.ts';

/** What decides the values of derived dimensions: ownership rules, and the patterns of actors if a question names them. */
export type Deriving = { owners: OwnersOf; actorKinds: ActorKinds | null };

export async function findDeriving(
  { db, actor }: { db: Database; actor: Pick<ColumnContext['actor'], 'orgId'> },
  questions: readonly OwnerQuestion[],
  windows: readonly Window[],
): Promise<Deriving> {
  return {
    owners: await findOwners({ db, actor }, questions, windows),
    actorKinds: await findActorKinds(db, actor.orgId, questions.flatMap(dimensionsOf)),
  };
}

export async function findActorKinds(
  db: Database,
  orgId: string,
  dimensions: readonly Dimension[],
): Promise<ActorKinds | null> {
  return dimensions.includes('actorKind') ? readActorKinds(db, orgId) : null;
}

const ofActors = ['actor', 'startedBy', 'event', 'workflowPath'] as const satisfies ColumnName[];

export function columnsToDerive({ owners, actorKinds }: Deriving): ColumnName[] {
  return [...columnsForOwners(owners), ...(actorKinds ? ofActors : [])];
}

type Rules = Deriving & { workflows: WorkflowNames; on: CostQuestion['ownersOn'] };

export function withDerived(rows: StoredRows, { owners, actorKinds, workflows, on }: Rules): DayRows {
  return {
    ...rows,
    column: (name) => {
      if (name === 'actorKind') return actorKindColumn(rows, actorKinds!);
      if (isOwnerDimension(name))
        return ownerColumn(rows, owners.get(name)!, { workflows, day: on ?? rows.day });
      return rows.column(name as ColumnName);
    },
  };
}

function actorKindColumn(rows: StoredRows, { of }: ActorKinds): Column {
  return mappedColumn(rows, ofActors.map(rows.column), ([actor, startedBy, event, workflowPath]) =>
    of({ actor: actor!, startedBy: startedBy!, event: event!, workflowPath: workflowPath! }),
  );
}

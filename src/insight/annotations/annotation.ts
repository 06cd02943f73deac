import type { Day } from '../../platform/lib/days.ts';
import { usd, type Nanos } from '../../platform/lib/money.ts';
import { dimensionNames, type DimensionName } from '../explore/readQuestion.ts';

const withoutScope = ['conclusion', 'day', 'weekday', 'hour'] as const;
export type ScopeName = Exclude<DimensionName, (typeof withoutScope)[number]>;
export const scopeNames = dimensionNames.filter(
  (name): name is ScopeName => !(withoutScope as readonly string[]).includes(name),
);

export type NoteScope = { [Name in ScopeName]?: string };

export const annotationKinds = ['note', 'price_change', 'reprice'] as const;
export type AnnotationKind = (typeof annotationKinds)[number];

export type Annotation = {
  id: string;
  kind: AnnotationKind;
  start: Day;
  end: Day;
  text: string;
  author: string | null;
  /** Null means the whole organization. */
  scope: NoteScope | null;
  canChange: boolean;
  reprice: { changedJobs: number; differenceNanos: Nanos; isRevert: boolean } | null;
  /** Null for a price that a list had from the start. */
  createdAt: Date | null;
  updatedAt: Date | null;
};

export function annotationView(annotation: Annotation) {
  const { id, kind, start, end, text, author, scope, reprice } = annotation;
  return {
    id,
    kind,
    start,
    end,
    text,
    author,
    scope,
    can_change: annotation.canChange,
    reprice: reprice && {
      changed_jobs: reprice.changedJobs,
      difference: usd(reprice.differenceNanos),
      is_revert: reprice.isRevert,
    },
    created_at: annotation.createdAt,
    updated_at: annotation.updatedAt,
  };
}

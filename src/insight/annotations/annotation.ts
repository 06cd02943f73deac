import { apiFields } from '../../platform/lib/apiFields.ts';
import type { Day } from '../../platform/lib/days.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { dimensionNames, type DimensionName } from '../explore/readQuestion.ts';

const withoutScope = ['product', 'conclusion', 'day', 'weekday', 'hour'] as const;
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
  return { ...apiFields(annotation), reprice: annotation.reprice && apiFields(annotation.reprice) };
}

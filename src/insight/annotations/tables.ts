import type { JSONColumnType } from 'kysely';

export type AnnotationTables = { annotations: AnnotationsTable };

type AnnotationsTable = {
  orgId: string;
  id: string;
  startDay: string;
  endDay: string;
  text: string;
  /** Values by the names of dimensions; null for the whole organization. */
  scope: JSONColumnType<Record<string, string>> | null;
  author: string;
  /** Null if no member wrote it: a service account, or the command line. */
  memberId: string | null;
  createdAt: Date;
  updatedAt: Date;
};

import type { JSONColumnType } from 'kysely';

export type AnnotationTables = { annotations: AnnotationsTable };

type AnnotationsTable = {
  orgId: string;
  id: string;
  startDay: string;
  endDay: string;
  text: string;
  /** Values by dimension name. Null means the whole organization. */
  scope: JSONColumnType<Record<string, string>> | null;
  author: string;
  /** Null if a service account or the command line wrote it. */
  memberId: string | null;
  createdAt: Date;
  updatedAt: Date;
};

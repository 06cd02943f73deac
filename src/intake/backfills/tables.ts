import type { Generated } from 'kysely';

export type BackfillTables = {
  sourceCredentials: SourceCredentialsTable;
  listedRuns: ListedRunsTable;
};

type SourceCredentialsTable = {
  orgId: string;
  sourceId: string;
  kind: 'token' | 'app' | 'circleci';
  secret: Buffer;
  hint: string;
  setBy: string;
  setAt: Date;
  checkedAt: Date | null;
  isPolled: Generated<boolean>;
};

type ListedRunsTable = {
  orgId: string;
  runId: string;
  repository: string;
  day: string;
  found: 'whole' | 'lacking' | 'missing' | 'unread';
  jobsEtag: string | null;
  listedAt: Date;
};

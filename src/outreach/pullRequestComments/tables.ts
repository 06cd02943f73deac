import type { Generated } from 'kysely';
import type { LeaseColumns } from '../../platform/work/tables.ts';

export type PullRequestTables = {
  pullRequestSettings: PullRequestSettingsTable;
  pullRequestComments: PullRequestCommentsTable;
  pullRequestSearches: PullRequestSearchesTable;
};

type PullRequestSettingsTable = {
  orgId: string;
  isEnabled: boolean;
  failAboveNanos: bigint | null;
  opensFixes: Generated<boolean>;
  changedAt: Date;
};

type PullRequestSearchesTable = LeaseColumns & {
  orgId: string;
  id: string;
  provider: string;
  repository: string;
  runId: string;
  headRepository: string;
  headBranch: string;
  headSha: string | null;
  installationId: string;
  createdAt: Date;
  dueAt: Date;
  attempts: number;
};

type PullRequestCommentsTable = LeaseColumns & {
  orgId: string;
  id: string;
  provider: string;
  repository: string;
  number: number;
  headSha: string | null;
  headCreatedAt: Date | null;
  revision: number;
  status: 'due' | 'written' | 'failed';
  dueAt: Date;
  attempts: number;
  lastError: string | null;
  note: string | null;
  sourceId: string | null;
  commentId: string | null;
  isCommentDeleted: boolean;
  checkId: string | null;
  checkSha: string | null;
  digest: string | null;
  writtenAt: Date | null;
  createdAt: Date;
};

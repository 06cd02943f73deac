export type PullRequestStateTables = { pullRequests: PullRequestsTable };

type PullRequestsTable = {
  orgId: string;
  provider: string;
  /** In lower case. */
  repository: string;
  number: number;
  /** Without a row, it is unknown. */
  state: 'draft' | 'open' | 'merged' | 'closed';
  title: string | null;
  author: string | null;
  createdAt: Date | null;
  endedAt: Date | null;
  observedAt: Date;
  /** What it changed in sum, once it ended. Null until it is read. */
  changes: 'documentation' | 'other' | 'unknown' | null;
};

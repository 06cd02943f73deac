export type PullRequestStateTables = { pullRequests: PullRequestsTable };

/** Providers report no other states. A pull request without a row is `unknown`. */
export const reportedStates = ['open', 'merged', 'closed'] as const;

type PullRequestsTable = {
  orgId: string;
  provider: string;
  /** In lower case. */
  repository: string;
  number: number;
  state: (typeof reportedStates)[number];
  title: string | null;
  author: string | null;
  createdAt: Date | null;
  endedAt: Date | null;
  observedAt: Date;
};

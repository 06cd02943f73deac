export type PullRequestReadingTables = {
  /** For `nightlyPoller`. */
  pullRequestReads: { orgId: string; triedAt: Date | null; claimedUntil: Date | null };
};

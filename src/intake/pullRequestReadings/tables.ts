export type PullRequestReadingTables = { pullRequestReads: { orgId: string; triedAt: Date } };

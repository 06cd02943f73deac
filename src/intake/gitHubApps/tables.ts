export type GitHubAppTables = {
  githubApps: GitHubAppsTable;
};

type GitHubAppsTable = {
  orgId: string;
  /** The id that the App's source will get when the App exists. */
  sourceId: string;
  stateHash: Buffer | null;
  isReachable: boolean;
  startedBy: string;
  startedAt: Date;
  appId: string | null;
  pageUrl: string | null;
  privateKey: Buffer | null;
};

export type RepricingTables = {
  repriceChanges: RepriceChangesTable;
};

type RepriceChangesTable = {
  orgId: string;
  repriceId: string;
  runId: string;
  attempt: number;
  jobId: string;
  facts: string;
  before: unknown;
  after: unknown;
};

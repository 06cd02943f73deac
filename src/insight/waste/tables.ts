export type WasteTables = {
  wasteDecisions: WasteDecisionsTable;
  wasteUnits: WasteUnitsTable;
  wasteDays: WasteDaysTable;
  wasteJobs: WasteJobsTable;
};

type WasteDecisionsTable = {
  orgId: string;
  workflowId: string;
  category: string;
  status: 'done' | 'dismissed';
  reason: string | null;
  author: string;
  /** Null if a service account or the command line decided. */
  memberId: string | null;
  decidedAt: Date;
  /** A month. Null for dismissed fixes, and for those marked as done before this was recorded. */
  promisedNanos: bigint | null;
};

type WasteUnitsTable = {
  orgId: string;
  /** The day on which the runs were created. */
  day: string;
  workflowId: string;
  version: string;
  nextVersion: string | null;
  readsNext: boolean;
};

type WasteDaysTable = {
  orgId: string;
  /** The day on which the jobs completed. */
  day: string;
  workflowId: string;
  createdOn: string;
  roundingNanos: bigint;
  roundingMs: bigint;
  roundingJobs: bigint;
  failedNanos: bigint;
  failedMs: bigint;
  failedJobs: bigint;
  supersededNanos: bigint;
  supersededMs: bigint;
  supersededJobs: bigint;
  rerunNanos: bigint;
  rerunMs: bigint;
  rerunJobs: bigint;
  usefulNanos: bigint;
  usefulMs: bigint;
  usefulJobs: bigint;
  skippedJobs: bigint;
  waitedMs: bigint;
};

type WasteJobsTable = {
  orgId: string;
  workflowId: string;
  day: string;
  createdOn: string;
  part: number;
  provider: string;
  name: string;
  rawConclusion: string | null;
  isRepeated: boolean;
  succeededLater: boolean;
  isOvertaken: boolean;
  isPush: boolean;
  isBilled: boolean;
  jobs: bigint;
  roundedJobs: bigint;
  costNanos: bigint;
  timeNanos: bigint;
  lateNanos: bigint;
  billedMs: bigint;
  timeMs: bigint;
  lateMs: bigint;
  waitingJobs: bigint;
  waitedMs: bigint;
  mergeableJobs: bigint;
  mergeNanos: bigint;
  mergedMs: bigint;
  longestMs: bigint;
  nanosPerMinute: bigint;
};

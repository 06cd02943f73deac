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
  /** Null if no member decided: a service account, or the command line. */
  memberId: string | null;
  decidedAt: Date;
};

type WasteUnitsTable = {
  orgId: string;
  /** When the runs were created. */
  day: string;
  workflowId: string;
  version: string;
  nextVersion: string | null;
  readsNext: boolean;
};

type WasteDaysTable = {
  orgId: string;
  /** When the jobs were completed. */
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

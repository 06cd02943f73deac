export type HostedRunnerTables = {
  hostedRunnerReads: HostedRunnerReadsTable;
};

type HostedRunnerReadsTable = {
  orgId: string;
  /** The name of the GitHub enterprise whose runners are read too. */
  enterprise: string | null;
  /** Null until the first read has ended. */
  triedAt: Date | null;
  /** While a worker reads at night. */
  claimedUntil: Date | null;
  /** `ReadProblem[]` */
  problems: unknown;
};

export type ReadProblem = { owner: string; message: string };

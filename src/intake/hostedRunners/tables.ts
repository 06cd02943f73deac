export type HostedRunnerTables = {
  hostedRunnerReads: HostedRunnerReadsTable;
};

type HostedRunnerReadsTable = {
  orgId: string;
  /** The name of the GitHub enterprise whose runners are read too. */
  enterprise: string | null;
  triedAt: Date;
  /** `ReadProblem[]` */
  problems: unknown;
};

export type ReadProblem = { owner: string; message: string };

/** What a provider's workflow files say that it will run: read from files, before anything ran. */
export type PlanFile = { path: string; content: string };

/** Something in the files that decides on cost, and that the files alone do not answer. */
export type Unresolved = { path: string; job: string | null; reason: string };

export type Plan = { workflows: PlannedWorkflow[]; unresolved: Unresolved[] };

export type PlannedWorkflow = {
  path: string;
  name: string;
  /** Whether a recorded run is one of this workflow. */
  isOf: (run: { workflowPath: string | null; workflowName: string | null }) => boolean;
  /** Null if the files do not say what starts a run. */
  triggers: readonly Trigger[] | null;
  jobs: readonly PlannedJob[];
  /** Keys below which it may have jobs that could not be read; '' stands for any. */
  unreadKeys: readonly string[];
  /** A newer run of the same branch ends an older one. */
  cancelsSuperseded: boolean;
};

export type Trigger = {
  /** As recorded runs name it. */
  event: string;
  /** Equal for triggers that start the same runs. */
  filter: string;
  crons: readonly string[];
  /** Null if a recorded branch cannot decide. */
  takesBranch: ((branch: string) => boolean) | null;
  /** Filters that recorded runs cannot answer, such as paths. */
  unknownFilters: readonly string[];
};

export type PlannedJob = {
  /** The job's id in the file, with those of the calling jobs before it. */
  key: string;
  /** As the provider shows it, with the values of its matrix. */
  name: string;
  /** Whether a recorded job with this name is the job. */
  hasName: (recorded: string) => boolean;
  /** Null if the files do not say which runner takes it. */
  labels: readonly string[] | null;
  runnerGroup: string | null;
  timeout: string | null;
  /** Decides when the job starts; null if it always does. */
  condition: string | null;
  startedByHand: boolean;
  /** Its matrix, if the files do not say how many jobs it makes; else null. */
  unknownMatrix: string | null;
  /** What the job does, as text to compare. */
  work: string;
};

export type WorkflowFiles = {
  /** Where to begin: the files that runs are made of, without those that they include. */
  isEntry: (path: string) => boolean;
  includedBy: (file: PlanFile, paths: readonly string[]) => Promise<string[]>;
  /** Faults of the files are part of the plan. */
  read: (files: readonly PlanFile[], of: { repository: string }) => Promise<Plan>;
};

/** A workflow file of a provider. A plan is what such files will run, read before anything has run. */
export type PlanFile = { path: string; content: string };

/** Something that decides the cost and that the files alone do not answer. */
export type Unresolved = { path: string; job: string | null; reason: string };

export type Plan = { workflows: PlannedWorkflow[]; unresolved: Unresolved[] };

export type PlannedWorkflow = {
  path: string;
  name: string;
  /** Whether a recorded run belongs to this workflow. */
  isOf: (run: { workflowPath: string | null; workflowName: string | null }) => boolean;
  /** Null if the files do not say what starts a run. */
  triggers: readonly Trigger[] | null;
  jobs: readonly PlannedJob[];
  /** Prefixes of the keys of jobs that could not be read; '' means any key. */
  unreadKeys: readonly string[];
  cancelsSuperseded: boolean;
};

export type Trigger = {
  /** The event's name in recorded runs. */
  event: string;
  /** Equal for triggers that start the same runs. */
  filter: string;
  crons: readonly string[];
  /** Null if the branch of a recorded run cannot decide. */
  takesBranch: ((branch: string) => boolean) | null;
  /** Filters that recorded runs cannot answer, such as paths. */
  unknownFilters: readonly string[];
};

export type PlannedJob = {
  /** The job's id in the file, preceded by the ids of the jobs that call it. */
  key: string;
  /** The name that the provider shows, with the values of its matrix. */
  name: string;
  hasName: (recorded: string) => boolean;
  /** Null if the files do not say which runner it uses. */
  labels: readonly string[] | null;
  runnerGroup: string | null;
  timeout: string | null;
  /** The condition that decides whether the job starts. Null if it always does. */
  condition: string | null;
  startedByHand: boolean;
  /** The work that it shares with others, such as shards `1/4` to `4/4`, and how many share it: 1 if it has it alone. */
  shard: { group: string; count: number };
  /** The matrix if the files do not say how many jobs it makes, else null. */
  unknownMatrix: string | null;
  /** The job's work as text, to compare. */
  work: string;
};

/** A change of workflow files that saves something, named like the suggestion for it. */
export type WorkflowEdit =
  | { action: 'cancel_superseded_runs'; path: string }
  /** `limits` has the minutes that each recorded job needs, because several can be one job of the file. */
  | { action: 'limit_time'; path: string; job: string; limits: readonly { job: string; minutes: number }[] }
  /** `name` is the pattern of the artifact or key: `*` stands for its changing parts. */
  | { action: 'shorten_retention'; path: string; name: string; days: number }
  | { action: 'run_less_often'; path: string; every: 'day' | 'week' }
  | { action: 'remove_trigger'; path: string; events: readonly string[] }
  /** `twin` is the file that has to start on the events, so that the jobs still run once. */
  | { action: 'remove_duplicate'; path: string; events: readonly string[]; twin: string }
  | { action: 'skip_documentation'; path: string }
  | { action: 'cache_default_branch_only' | 'use_a_stable_cache_key'; name: string };

/** Why a place cannot be changed safely. */
type EditFault = { path: string | null; line: number | null; reason: string };

/** `files` has the changed ones only. */
export type EditedFiles = { files: PlanFile[]; faults: EditFault[] };

export type WorkflowFiles = {
  /** Whether a run can start from this file, as opposed to files that others include. */
  isEntry: (path: string) => boolean;
  includedBy: (file: PlanFile, paths: readonly string[]) => Promise<string[]>;
  /** Errors in the files become part of the plan. */
  read: (files: readonly PlanFile[], of: { repository: string }) => Promise<Plan>;
  /** Changes files at the place and nowhere else. Absent if we cannot change the provider's files. */
  edit?: (files: readonly PlanFile[], edit: WorkflowEdit, of: { repository: string }) => Promise<EditedFiles>;
};

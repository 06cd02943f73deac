export type PoolTables = { runnerPools: RunnerPoolsTable; runnerPoolDays: RunnerPoolDaysTable };

type RunnerPoolsTable = {
  orgId: string;
  id: string;
  position: number;
  name: string;
  match: 'label' | 'regex' | 'runner_group';
  pattern: string;
  resourceIds: string[];
  /** `StoredPeriod[]` */
  periods: unknown;
  createdAt: Date;
  updatedAt: Date;
};

/** Amounts in nano-dollars. */
export type StoredPeriod = {
  firstDay: string;
  lastDay: string | null;
  machines: number | null;
  monthlyNanos: string | null;
  hourlyNanos: string | null;
};

type RunnerPoolDaysTable = { orgId: string; poolId: string; day: string; costNanos: bigint };

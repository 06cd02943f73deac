import type { Generated } from 'kysely';

export type WorkTables = {
  tasks: TasksTable;
};

type TasksTable = {
  orgId: string;
  id: string;
  kind: string;
  status: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  input: unknown;
  state: unknown;
  done: Generated<bigint>;
  total: bigint | null;
  error: string | null;
  starts: Generated<number>;
  dueAt: Date;
  lease: string | null;
  leasedUntil: Date | null;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
};

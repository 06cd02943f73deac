import type { Generated } from 'kysely';

export type WorkTables = {
  tasks: TasksTable;
};

/** The columns of every leased table. Both are null if nobody holds the row. */
export type LeaseColumns = { lease: string | null; leasedUntil: Date | null };

type TasksTable = LeaseColumns & {
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
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
};

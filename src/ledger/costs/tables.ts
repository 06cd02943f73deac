export type CostTables = { dayColumns: DayColumnsTable; keptColumns: RemovedColumnsTable };

type DayColumnsTable = {
  orgId: string;
  facts: 'jobs' | 'runs';
  name: string;
  day: string;
  version: string;
  data: Buffer;
};

type RemovedColumnsTable = {
  orgId: string;
  facts: 'jobs' | 'runs';
  day: string;
  /** Numbers the removals of a day. Each part has all columns that existed at that time. */
  part: number;
  name: string;
  rows: number;
  data: Buffer;
};

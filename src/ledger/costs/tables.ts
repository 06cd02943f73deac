export type CostTables = { dayColumns: DayColumnsTable; keptColumns: KeptColumnsTable };

type DayColumnsTable = {
  orgId: string;
  facts: 'jobs' | 'runs';
  name: string;
  day: string;
  version: string;
  data: Buffer;
};

type KeptColumnsTable = {
  orgId: string;
  facts: 'jobs' | 'runs';
  day: string;
  /** What was removed at once; each part has all columns that there were then. */
  part: number;
  name: string;
  rows: number;
  data: Buffer;
};

export type CostTables = { dayColumns: DayColumnsTable };

type DayColumnsTable = {
  orgId: string;
  facts: 'jobs' | 'runs';
  name: string;
  day: string;
  version: string;
  data: Buffer;
};

import type { Generated } from 'kysely';

/** Long work, prices, bills, exports and what providers have listed. */
export type LedgerTables = {
  priceBooks: PriceBooksTable;
  priceRules: PriceRulesTable;
  shadowRates: ShadowRatesTable;
  repriceChanges: RepriceChangesTable;
  tasks: TasksTable;
  billReports: BillReportsTable;
  billProducts: BillProductsTable;
  billLines: BillLinesTable;
  exportChunks: ExportChunksTable;
  sourceCredentials: SourceCredentialsTable;
  listedRuns: ListedRunsTable;
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

type PriceBooksTable = {
  orgId: string;
  id: string;
  name: string;
  basedOn: string | null;
  prices: unknown;
  createdAt: Date;
  updatedAt: Date;
  deletedAt: Date | null;
};

type PriceRulesTable = {
  orgId: string;
  id: string;
  position: number;
  match: 'label' | 'regex' | 'runner_group';
  pattern: string;
  runnerKind: string | null;
  name: string | null;
  nanosPerMinute: bigint | null;
  rounding: 'minute' | 'second' | null;
  createdAt: Date;
  updatedAt: Date;
};

type ShadowRatesTable = { orgId: string; runnerKind: string; effectiveFrom: string; nanosPerMinute: bigint };

type RepriceChangesTable = {
  orgId: string;
  repriceId: string;
  runId: string;
  attempt: number;
  jobId: string;
  facts: string;
  before: unknown;
  after: unknown;
};

type SourceCredentialsTable = {
  orgId: string;
  sourceId: string;
  kind: 'token' | 'app';
  secret: Buffer;
  hint: string;
  setBy: string;
  setAt: Date;
  checkedAt: Date | null;
};

type ListedRunsTable = {
  orgId: string;
  runId: string;
  repository: string;
  day: string;
  found: 'whole' | 'lacking' | 'missing' | 'unread';
  jobsEtag: string | null;
  listedAt: Date;
};

type ExportChunksTable = {
  orgId: string;
  exportId: string;
  number: number;
  startByte: bigint;
  bytes: Buffer;
  rowGroup: Buffer | null;
};

type BillReportsTable = {
  orgId: string;
  id: string;
  sha256: string;
  fileName: string;
  bytes: bigint;
  format: 'summarised' | 'detailed' | 'legacy';
  dateOrder: 'mdy' | 'dmy' | null;
  linesRead: Generated<number>;
  linesKept: Generated<number>;
  linesSkipped: Generated<number>;
  linesRounded: Generated<number>;
  badLines: Generated<unknown>;
  firstDay: string | null;
  lastDay: string | null;
  createdAt: Date;
  touchedAt: Date;
  importedAt: Date | null;
};

type BillAmounts = {
  lines: number;
  quantityNanos: bigint;
  grossNanos: bigint;
  discountNanos: bigint;
  netNanos: bigint;
};

type BillProductsTable = BillAmounts & {
  orgId: string;
  reportId: string;
  organization: string;
  product: string;
  unit: string;
  firstDay: string;
  lastDay: string;
};

type BillLinesTable = BillAmounts & {
  orgId: string;
  reportId: string;
  day: string;
  product: string;
  sku: string;
  unit: string;
  organization: string;
  repository: string;
  workflowPath: string;
  listNanos: bigint;
};

import type { Generated } from 'kysely';

export type BillTables = {
  billReports: BillReportsTable;
  billProducts: BillProductsTable;
  billLines: BillLinesTable;
};

type BillReportsTable = {
  orgId: string;
  id: string;
  sha256: string;
  fileName: string;
  bytes: bigint;
  format: 'summarised' | 'detailed' | 'legacy' | 'api';
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
  fetched: Generated<string | null>;
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

type BillAmounts = {
  lines: number;
  quantityNanos: bigint;
  grossNanos: bigint;
  discountNanos: bigint;
  netNanos: bigint;
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

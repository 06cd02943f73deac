import type { Generated } from 'kysely';

export type BillFetchTables = {
  billAccounts: BillAccountsTable;
  billAccountDays: BillAccountDaysTable;
};

type BillAccountsTable = {
  orgId: string;
  id: string;
  kind: 'organization' | 'user' | 'enterprise';
  login: string;
  sourceId: string;
  months: Generated<unknown>;
  createdAt: Date;
};

type BillAccountDaysTable = {
  orgId: string;
  accountId: string;
  day: string;
  etag: string | null;
  lines: string;
  fetchedAt: Date;
};

export type AuditTables = {
  auditEntries: AuditEntriesTable;
};

type AuditEntriesTable = {
  orgId: string;
  id: string;
  createdAt: Date;
  actor: string;
  action: string;
  target: string;
  details: unknown;
};

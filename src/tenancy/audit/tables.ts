export type AuditTables = {
  auditEntries: AuditEntriesTable;
};

export type AuditEntriesTable = {
  orgId: string;
  id: string;
  createdAt: Date;
  actor: string;
  action: string;
  target: string;
  details: unknown;
};

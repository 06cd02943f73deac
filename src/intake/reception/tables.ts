export type ReceptionTables = {
  sources: SourcesTable;
};

type SourcesTable = {
  orgId: string;
  id: string;
  kind: string;
  name: string;
  secret: Buffer;
  createdAt: Date;
  lastEventAt: Date | null;
};

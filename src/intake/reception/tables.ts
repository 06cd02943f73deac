export type ReceptionTables = {
  sources: SourcesTable;
};

type SourcesTable = {
  orgId: string;
  id: string;
  /** Id of a provider that sends webhooks; the routes check it. */
  kind: string;
  name: string;
  secret: Buffer;
  createdAt: Date;
  lastEventAt: Date | null;
};

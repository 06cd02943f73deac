export type EventTables = {
  events: EventsTable;
};

type EventsTable = { orgId: string; id: string; kind: string; createdAt: Date; body: string | null };

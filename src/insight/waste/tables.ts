export type WasteTables = { wasteDecisions: WasteDecisionsTable };

type WasteDecisionsTable = {
  orgId: string;
  workflowId: string;
  category: string;
  status: 'done' | 'dismissed';
  reason: string | null;
  author: string;
  /** Null if no member decided: a service account, or the command line. */
  memberId: string | null;
  decidedAt: Date;
};

export const eventKinds = [
  'workflow.completed',
  'alert.triggered',
  'alert.resolved',
  'cost.threshold',
  'export.ready',
  'audit.recorded',
] as const;

export type EventKind = (typeof eventKinds)[number];

/** Contains entries of the audit log. */
export const auditKind = 'audit.recorded' satisfies EventKind;

/** Sent to one webhook on request, whatever event types it subscribes to. */
export const pingKind = 'webhook.ping';

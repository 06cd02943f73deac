export const eventKinds = [
  'workflow.completed',
  'alert.triggered',
  'alert.resolved',
  'cost.threshold',
  'export.ready',
] as const;

export type EventKind = (typeof eventKinds)[number];

/** Sent to one webhook on request, whatever event types it subscribes to. */
export const pingKind = 'webhook.ping';

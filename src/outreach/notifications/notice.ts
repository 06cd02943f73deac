/** What people are told when an alert triggers. Plain JSON: it is stored with the messages until they are sent. */
export type AlertNotice = {
  alert: { id: string; name: string; type: 'budget' | 'anomaly' };
  organization: string;
  /** Exact decimals: US dollars for budgets, percent of rise for anomalies. */
  currentValue: string;
  thresholdValue: string;
  /** US dollars spent in the period. */
  observed: string;
  /** US dollars that `observed` is compared with; null where it is compared with nothing. */
  baseline: string | null;
  /** Calendar days, both included. */
  period: { start: string; end: string };
  /** ISO 8601. */
  triggeredAt: string;
  /** At most five, those behind the rise; US dollars, and the change may be negative. */
  workflows: { workflow: string; repository: string; cost: string; change: string }[];
};

/** What an alert watches for, and how often. */
export type Rule = {
  type: 'budget' | 'anomaly';
  /** Billionths: of a US dollar for a budget, of a percent for an anomaly. */
  thresholdNanos: bigint;
  /** The calendar period of a budget; anomalies take theirs from the frequency. */
  period: 'day' | 'week' | 'month';
  frequency: 'daily' | 'weekly' | 'monthly';
  enabled: boolean;
};

/** What people are notified of when an alert triggers. Plain JSON: it is stored with the messages until they are sent. */
export type AlertNotice = {
  alert: { id: string; name: string; type: string };
  organization: string;
  /** Exact decimals, in the unit of the alert's type. */
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
  words: AlertWords;
};

/** What the alert's type says of a trigger. */
export type AlertWords = {
  title: string;
  /** The figure that matters. */
  current: string;
  /** That figure and what it stands against. */
  inShort: string;
  /** One sentence that says it all. */
  summary: string;
  facts: { label: string; value: string }[];
};

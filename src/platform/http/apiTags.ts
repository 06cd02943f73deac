type Group = { name: string; tags: Record<string, string> };

/** In the order of the docs, with the most used first. The dashboard's navigation has the same groups. */
const groups: Group[] = [
  {
    name: 'Analyze',
    tags: {
      Costs: 'What CI costs, by any two dimensions, and why it changed.',
      Dashboard: 'The figures of the overview: totals, trends, forecast and top workflows.',
      Runs: 'Report runs of any provider, and read what each job cost.',
      Waste: 'Costs without a useful result, and the fixes for them.',
      Estimates: 'What a workflow file would cost before anyone runs it.',
      Annotations: 'Notes, price changes and reprices by day, shown in charts.',
      'Saved views': 'Questions to keep, for yourself or for everyone.',
      'Share links': 'Views, badges and embeds for people without an account.',
    },
  },
  {
    name: 'Control',
    tags: {
      Alerts: 'Budgets and anomalies, when they trigger, and who is notified.',
      Channels: 'Where alerts and digests go: chats, lists of emails, PagerDuty.',
      Digests: 'What CI cost last week or month, by email and to channels.',
      Bills: "Your provider's bill reports, compared with recorded runs.",
      Pricing: 'Prices of runners, included minutes and discounts, and repricing of past jobs.',
      Ownership: 'Which team and cost center pays for a job.',
    },
  },
  {
    name: 'Connect',
    tags: {
      Sources: 'Connections to providers, which report runs.',
      Backfills: 'Runs from before a source was connected.',
      Webhooks: 'Send signed events to your own systems.',
      Exports: 'Jobs as CSV or Parquet files.',
    },
  },
  {
    name: 'Organization',
    tags: {
      Organization: 'Name, time zone, retention and the audit log.',
      Members: 'Who has access, and with which role.',
      Tokens: 'Access for scripts and services.',
      'Single sign-on': 'Identity providers that people sign in with.',
      Session: 'Sign in and out as a browser does.',
      Server: 'What its operator does: organizations, sign-in links and the hold of a copy.',
      Service: 'Health of the server, and this document.',
    },
  },
];

export const apiTags = groups.flatMap(({ tags }) =>
  Object.entries(tags).map(([name, description]) => ({ name, description })),
);

/** An extension that Scalar and Redoc read. */
export const apiTagGroups = groups.map(({ name, tags }) => ({ name, tags: Object.keys(tags) }));

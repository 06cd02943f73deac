export type ShareTables = { shareLinks: ShareLinksTable };

export const sharedPages = ['overview', 'explore'] as const;
export const sharedCharts = ['bars', 'lines', 'treemap', 'heatmap'] as const;

type ShareLinksTable = {
  orgId: string;
  id: string;
  secretHash: Buffer;
  page: (typeof sharedPages)[number];
  chart: (typeof sharedCharts)[number];
  /** A question of `GET /costs` with all its fields, which is also the query of the page's address. */
  query: string;
  author: string;
  /** The link ends with the member who made it, or with the token of a service account that did. */
  memberId: string | null;
  tokenId: string | null;
  createdAt: Date;
  expiresAt: Date;
  /** Accurate to five minutes. */
  lastUsedAt: Date | null;
};

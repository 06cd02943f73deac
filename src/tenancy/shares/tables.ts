import type { Generated } from 'kysely';

export type ShareTables = { shareLinks: ShareLinksTable };

/** A page of its own, an image with one amount, or the page within another site. */
export const shareKinds = ['link', 'badge', 'embed'] as const;
export const badgePeriods = ['month', 'last_month', '30_days', '7_days'] as const;
export const sharedPages = ['overview', 'explore'] as const;
export const sharedCharts = ['bars', 'lines', 'treemap', 'heatmap'] as const;

type ShareLinksTable = {
  orgId: string;
  id: string;
  secretHash: Buffer;
  kind: Generated<(typeof shareKinds)[number]>;
  page: (typeof sharedPages)[number];
  chart: (typeof sharedCharts)[number];
  /** A question of `GET /costs` with all its fields, which is also the query of the page's address; or of a badge. */
  query: string;
  /** Origins of the pages that may show an embed. */
  sites: Generated<string[]>;
  author: string;
  /** The link ends with the member who made it, or with the token of a service account that did. */
  memberId: string | null;
  tokenId: string | null;
  createdAt: Date;
  /** Null: never, for badges only. */
  expiresAt: Date | null;
  /** Accurate to five minutes. */
  lastUsedAt: Date | null;
};

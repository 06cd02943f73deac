import type { Generated } from 'kysely';

export type ShareLinkTables = { shareLinks: ShareLinksTable };

/** A page of its own, an image with one amount, or a page within another site. */
export const shareLinkKinds = ['link', 'badge', 'embed'] as const;
export const badgePeriods = ['month', 'last_month', '30_days', '7_days'] as const;
export const sharedPages = ['overview', 'explore'] as const;
export const sharedCharts = ['bars', 'lines', 'treemap'] as const;

type ShareLinksTable = {
  orgId: string;
  id: string;
  name: string | null;
  secretHash: Buffer;
  kind: Generated<(typeof shareLinkKinds)[number]>;
  page: (typeof sharedPages)[number];
  chart: (typeof sharedCharts)[number];
  /** The query of `GET /costs` and of the page's URL, with all fields; for a badge, its own query. */
  query: string;
  /** Origins of the sites that may show an embed. */
  sites: Generated<string[]>;
  author: string;
  /** The link ends with the member who created it, or with the service account. */
  memberId: string | null;
  tokenId: string | null;
  createdAt: Date;
  /** Null means never, for badges only. */
  expiresAt: Date | null;
  /** Accurate to five minutes. */
  lastUsedAt: Date | null;
};

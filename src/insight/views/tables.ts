export type SavedViewTables = { savedViews: SavedViewsTable };

type SavedViewsTable = {
  orgId: string;
  id: string;
  name: string;
  /** The query string of Explore, without `?`. */
  query: string;
  isShared: boolean;
  author: string;
  /** Null if a service account saved it. */
  memberId: string | null;
  createdAt: Date;
  updatedAt: Date;
};

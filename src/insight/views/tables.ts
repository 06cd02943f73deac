export type SavedViewTables = { savedViews: SavedViewsTable };

type SavedViewsTable = {
  orgId: string;
  id: string;
  name: string;
  /** What stands after `?` in the address of Explore. */
  query: string;
  isShared: boolean;
  author: string;
  /** Null if no member saved it: a service account. */
  memberId: string | null;
  createdAt: Date;
  updatedAt: Date;
};

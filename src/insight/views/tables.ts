export type SavedViewTables = { savedViews: SavedViewsTable };

type SavedViewsTable = {
  orgId: string;
  id: string;
  name: string;
  /** What stands after `?` in the address of Explore. */
  query: string;
  /** False: only its author sees it. */
  isShared: boolean;
  author: string;
  /** Null where no member saved it: a service account. */
  memberId: string | null;
  createdAt: Date;
  updatedAt: Date;
};

export type StorageTables = {
  storageRepositories: StorageRepositoriesTable;
  storageItems: StorageItemsTable;
  storageDays: {
    orgId: string;
    day: string;
    repository: string;
    artifactBytes: bigint;
    cacheBytes: bigint;
  };
};

export type StorageRepositoriesTable = {
  orgId: string;
  repository: string;
  readAt: Date;
  unlisted: number;
  unknownArtifacts: number;
  caches: number;
  cacheBytes: bigint;
  cacheByteHours: bigint;
  problems: string[];
};

export type StorageItemsTable = {
  orgId: string;
  repository: string;
  kind: 'artifact' | 'cache';
  workflowId: string;
  name: string;
  ref: string;
  items: number;
  bytes: bigint;
  staleBytes: bigint;
  staleItems: number;
  weekItems: number;
  byteHours: bigint;
  retentionDays: number | null;
  firstExpiresAt: Date | null;
  lastExpiresAt: Date | null;
  expiringBytes: bigint;
};

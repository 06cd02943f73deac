import type { Generated } from 'kysely';

export type InstallationTables = {
  installation: {
    onlyRow: Generated<boolean>;
    encryptionKeyFingerprint: string | null;
    folderId: string | null;
    hold: HoldReason | null;
    holdDetail: string | null;
    heldSince: Date | null;
  };
  migrations: { name: string; hash: string; ranAt: Generated<Date> };
  migrationLock: { onlyRow: boolean };
};

export const holdReasons = ['restored', 'copied', 'moved', 'moving'] as const;
export type HoldReason = (typeof holdReasons)[number];

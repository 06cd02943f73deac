import type { Generated } from 'kysely';

export type InstallationTables = {
  installation: { encryptionKeyFingerprint: string };
  migrations: { name: string; hash: string; ranAt: Generated<Date> };
  migrationLock: { onlyRow: boolean };
};

export type InstallationTables = {
  installation: { encryptionKeyFingerprint: string };
};

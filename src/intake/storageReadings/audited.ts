import type { AuditedKind } from '../../tenancy/audit/words.ts';

export const storageReading = {
  title: 'Readings of storage',
  words: {
    cancel: 'canceled a reading of storage',
    start: 'started a reading of storage',
  },
} satisfies AuditedKind;

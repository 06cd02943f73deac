import type { AuditedKind } from '../../tenancy/audit/words.ts';

export const usageImport = {
  title: 'Usage data',
  words: {
    cancel: 'canceled an import of usage data',
    start: 'started an import of usage data',
  },
} satisfies AuditedKind;

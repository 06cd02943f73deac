import type { AuditedKind } from '../tenancy/audit/words.ts';

export const demo = {
  title: 'Demo',
  words: { load: 'started to load the demo' },
} satisfies AuditedKind;

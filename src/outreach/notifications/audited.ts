import type { AuditedKind } from '../../tenancy/audit/words.ts';

export const chatWebhook = {
  title: 'Chat webhook',
  words: { test: () => 'sent a test message to the chat' },
} satisfies AuditedKind;

import { called, changed, say, type AuditedKind } from '../../tenancy/audit/words.ts';

export const channel = {
  title: 'Channels',
  words: {
    create: 'created the channel',
    delete: 'deleted the channel',
    test: ({ name, kind }) =>
      `sent a test message to ${name === undefined ? say`${kind}` : called('the channel', say`${name}`)}`,
    update: changed('the channel'),
  },
} satisfies AuditedKind;

export const chatWebhook = {
  title: 'Chat webhook',
  words: { test: () => 'sent a test message to the chat' },
} satisfies AuditedKind;

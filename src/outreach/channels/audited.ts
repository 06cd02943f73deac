import { changed, say, type AuditedKind } from '../../tenancy/audit/words.ts';

export const channel = {
  title: 'Channels',
  words: {
    create: 'created the channel',
    delete: 'deleted the channel',
    test: ({ name, kind }) =>
      name === undefined
        ? say`sent a test message by ${kind}`
        : say`sent a test message to the channel “${name}”`,
    update: changed('the channel'),
  },
} satisfies AuditedKind;

export const chatWebhook = {
  title: 'Chat webhook',
  words: { test: () => 'sent a test message to the chat' },
} satisfies AuditedKind;

import { incomingWebhook } from '../post.ts';

export const webhook = incomingWebhook({
  title: 'Webhook',
  description: 'Posts plain JSON to an address of yours, with exact numbers.',
  help: 'Any address of yours that accepts JSON by POST.',
  example: 'https://chat.acme.example/hooks/ci',
  receiver: 'the receiver',
  body: ({ data }) => data,
});

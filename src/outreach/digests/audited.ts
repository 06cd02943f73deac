import { changed, say, type AuditedKind, type Details } from '../../tenancy/audit/words.ts';

/** `the weekly digest of the costs of Platform for cfo@acme.com and the chat` */
function digestIn({ frequency, team, recipients, chat }: Details): string {
  if (frequency === undefined) return 'a digest';
  const receivers = [...((recipients ?? []) as unknown[]), ...(chat === true ? ['the chat'] : [])];
  const of = team ? say`the costs of ${team}` : 'all costs';
  return say`the ${frequency} digest of ${of} ${receivers.length > 0 && say`for ${receivers}`}`;
}

export const digest = {
  title: 'Digests',
  words: {
    create: (details) => `created ${digestIn(details)}`,
    delete: (details) => `deleted ${digestIn(details)}`,
    send: ({ email }) => say`sent a digest to ${email}`,
    unsubscribe: ({ email }) => say`stopped a digest for ${email}`,
    update: changed('a digest'),
  },
} satisfies AuditedKind;

import { changed, say, type AuditedKind, type Details, type Target } from '../../tenancy/audit/words.ts';

/** `the weekly digest of the costs of Platform for cfo@acme.com, the default channel and finance` */
function digestIn(
  { frequency, team, actor_kind: kind, recipients = [], chat, channel_ids: channels = [] }: Details,
  { nameOf }: Target,
): string {
  if (frequency === undefined) return 'a digest';
  const receivers = [
    ...(recipients as unknown[]),
    ...(chat === true ? ['the default channel'] : []),
    ...(channels as unknown[]).map(nameOf),
  ];
  const of = team ? say`the costs of ${team}` : kind ? say`the costs of the kind ${kind}` : 'all costs';
  return say`the ${frequency} digest of ${of} ${receivers.length > 0 && say`for ${receivers}`}`;
}

export const monthClose = {
  title: 'Month closes',
  words: { send: ({ month, to }) => say`sent the close of ${month} to ${to}` },
} satisfies AuditedKind;

export const digest = {
  title: 'Digests',
  words: {
    create: (details, target) => `created ${digestIn(details, target)}`,
    delete: (details, target) => `deleted ${digestIn(details, target)}`,
    send: ({ email }) => say`sent a digest to ${email}`,
    unsubscribe: ({ email }) => say`stopped a digest for ${email}`,
    update: changed('a digest'),
  },
} satisfies AuditedKind;

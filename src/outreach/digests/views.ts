import { namedByTheApi, warningsOf, type Digest, type DigestContext } from './digests.ts';

export async function digestView(ctx: Pick<DigestContext, 'db' | 'mailer' | 'actor'>, digest: Digest) {
  const { frequency, team, is_personal: isPersonal, chat, enabled } = namedByTheApi(digest);
  return {
    id: digest.id,
    frequency,
    team,
    is_personal: isPersonal,
    chat,
    enabled,
    recipients: digest.recipients.map(({ address, memberId, unsubscribedAt }) => ({
      email: address,
      is_member: memberId !== null,
      unsubscribed_at: unsubscribedAt,
    })),
    next_at: digest.enabled ? digest.nextAt : null,
    sent_until: digest.sentUntil,
    warnings: await warningsOf(ctx, digest),
    created_at: digest.createdAt,
    updated_at: digest.updatedAt,
  };
}

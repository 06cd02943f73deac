import type { Program } from '../../context.ts';
import { cliActor } from '../../platform/lib/actor.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { getOrganization } from '../../tenancy/organizations/organizations.ts';
import { hashSecret, readSecret, secretMatches } from '../../tenancy/tokens/tokens.ts';
import { html, type Markup } from '../channels/email/html.ts';
import { linkErrorPage, linkNotFound, subscriberPage } from '../channels/email/unsubscribe.ts';
import { shownName } from '../channels/wording.ts';
import { type DigestRow, digestRows, findRecipient, type Recipient, recipientRows } from './queries.ts';

export type Subscription = { organization: string; digest: DigestRow; recipient: Recipient };

export async function findSubscription({ db }: Pick<Program, 'db'>, text: string): Promise<Subscription> {
  const parts = readSecret('digest', text);
  if (!parts) throw linkNotFound();
  const { orgId, id, secret } = parts;
  const recipient = await findRecipient(db, orgId, id);
  if (!recipient || !secretMatches(secret, hashSecret(recipient.unsubscribeSecret))) throw linkNotFound();
  const digest = await digestRows.find(db, { orgId, id: recipient.digestId });
  if (!digest) throw linkNotFound();
  const { login, name } = await getOrganization({ db, actor: { orgId } });
  return { organization: login ?? name, digest, recipient };
}

/** Turns off a personal digest, so that its owner can turn it on again. Others lose this recipient. */
export async function unsubscribeFromDigest(program: Program, text: string): Promise<Subscription> {
  const { db, clock } = program;
  const subscription = await findSubscription(program, text);
  const { digest, recipient } = subscription;
  if (recipient.unsubscribedAt !== null) return subscription;
  const now = clock.now();
  const actor = { ...cliActor(digest.orgId), scopes: [], name: 'unsubscribe link' };
  await db.transaction().execute(async (tx) => {
    // Leaves other fields, which a worker or the owner may change meanwhile.
    if (digest.memberId !== null) await digestRows.change(tx, digest, { enabled: false, updatedAt: now });
    await recipientRows.change(tx, recipient, { unsubscribedAt: now });
    const details = { email: recipient.address };
    await recordAudit(tx, { ...program, actor }, 'digest.unsubscribe', digest.id, details);
  });
  return subscription;
}

/** Asks first, because mail scanners open links. */
export function digestQuestion(subscription: Subscription): Markup {
  return subscriberPage(
    'Unsubscribe from this digest?',
    html`<p>Runcost will stop sending ${nameOf(subscription)}.</p>
      <form method="post"><button>Unsubscribe</button></form>`,
  );
}

export function digestDone(subscription: Subscription): Markup {
  const isOwn = subscription.digest.memberId !== null;
  return subscriberPage(
    'You are unsubscribed',
    html`<p>Runcost no longer sends ${nameOf(subscription)}.</p>
      <p>
        ${
          isOwn
            ? html`To get it again, turn it on in <a href="../../settings/digests">Settings, Digests</a>.`
            : 'To get it again, ask an admin to remove and add your address in Settings, Notifications, Digests.'
        }
      </p>`,
  );
}

export const digestErrorPage = linkErrorPage(
  html`<p>It may be incomplete. Or the digest was deleted, or no longer goes to this address.</p>
    <p>You can also turn off your digests in the dashboard: Settings, Notifications, Digests.</p>`,
);

function nameOf({ organization, digest, recipient }: Subscription): Markup {
  const of = digest.team === null ? organization : `team ${digest.team} of ${organization}`;
  return html`the ${digest.frequency} digest of <b>${shownName(of)}</b> to
    <b>${shownName(recipient.address)}</b>`;
}

import type { Program } from '../../../context.ts';
import type { Database } from '../../../platform/db/database.ts';
import { simplePage } from '../../../platform/http/simplePage.ts';
import { cliActor } from '../../../platform/lib/actor.ts';
import { PublicError } from '../../../platform/lib/errors.ts';
import { newSecret } from '../../../platform/lib/ids.ts';
import {
  changeAddress,
  findAddress,
  keepAddress,
  listUnsubscribed,
} from '../../../tenancy/members/addresses.ts';
import {
  findMemberByEmail,
  findUnsubscribing,
  secretForUnsubscribing,
  updateMember,
} from '../../../tenancy/members/members.ts';
import { getOrganization } from '../../../tenancy/organizations/organizations.ts';
import { hashSecret, readSecret, secretMatches, writeSecret } from '../../../tenancy/tokens/tokens.ts';
import type { ChannelProgram } from '../context.ts';
import { shownName } from '../wording.ts';
import { html, type Markup } from './html.ts';

/** A member, or an address of somebody else. */
export type Subscriber = {
  orgId: string;
  organization: string;
  id: string;
  isMember: boolean;
  email: string;
};

/** A member turns off a setting by it. Other people stop all emails of alerts and channels. */
export async function unsubscribeLink(
  { db, publicUrl }: Pick<ChannelProgram, 'db' | 'publicUrl'>,
  orgId: string,
  email: string,
): Promise<string> {
  const member = await findMemberByEmail(db, orgId, email);
  if (member) {
    const asked = { orgId, email: member.email, secret: newSecret() };
    const parts = await secretForUnsubscribing(db, asked);
    return `${publicUrl()}/unsubscribe/${writeSecret('unsubscribe', { orgId, ...parts })}`;
  }
  const kept = await keepAddress(db, orgId, email);
  return `${publicUrl()}/unsubscribe/${writeSecret('address', { orgId, ...kept })}`;
}

/** Whether alerts and channels may send emails to the address, whoever it belongs to. */
export async function takesEmails(db: Database, orgId: string, email: string): Promise<boolean> {
  const member = await findMemberByEmail(db, orgId, email);
  return member ? member.alertEmails : !(await listUnsubscribed(db, orgId)).includes(email.toLowerCase());
}

export async function findSubscriber({ db }: Pick<Program, 'db'>, text: string): Promise<Subscriber> {
  const ofMember = readSecret('unsubscribe', text);
  const parts = ofMember ?? readSecret('address', text);
  if (!parts) throw linkNotFound();
  const { orgId, id } = parts;
  const found = ofMember ? await findUnsubscribing(db, orgId, id) : await findAddress(db, orgId, id);
  if (!found || !secretMatches(parts.secret, hashSecret(found.secret))) throw linkNotFound();
  const { login, name } = await getOrganization({ db, actor: { orgId } });
  const organization = login ?? name;
  // Somebody else can have become a member since.
  const member = ofMember ? { id } : await findMemberByEmail(db, orgId, found.email);
  return { orgId, organization, id: member?.id ?? id, isMember: member !== undefined, email: found.email };
}

export async function unsubscribe(program: Program, text: string): Promise<Subscriber> {
  const subscriber = await findSubscriber(program, text);
  const actor = { ...cliActor(subscriber.orgId), scopes: [], name: 'unsubscribe link' };
  if (subscriber.isMember) await updateMember({ ...program, actor }, subscriber.id, { alert_emails: false });
  else await changeAddress(program, subscriber, false);
  return subscriber;
}

/** Only its owner can, by a link in an earlier email. A member has a setting instead. */
export async function subscribeAgain(program: Program, text: string): Promise<Subscriber> {
  const subscriber = await findOther(program, text);
  await changeAddress(program, subscriber, true);
  return subscriber;
}

export async function findOther(program: Pick<Program, 'db'>, text: string): Promise<Subscriber> {
  const subscriber = await findSubscriber(program, text);
  if (subscriber.isMember) throw linkNotFound();
  return subscriber;
}

export function linkNotFound(): PublicError {
  return new PublicError('not_found', 'link_not_found', 'This unsubscribe link is not valid.');
}

/** Asks first, because mail scanners open links. */
export function questionPage(subscriber: Subscriber): Markup {
  return subscriberPage(
    subscriber.isMember ? 'Unsubscribe from alert emails?' : 'Unsubscribe from these emails?',
    html`<p>Runcost will stop sending ${emailsTo(subscriber)}.</p>
      <form method="post"><button>Unsubscribe</button></form>`,
  );
}

/** `link` is what the address of the page ends in. */
export function donePage(subscriber: Subscriber, link: string): Markup {
  return subscriberPage(
    'You are unsubscribed',
    html`<p>Runcost no longer sends ${emailsTo(subscriber)}.</p>
      <p>
        ${
          subscriber.isMember
            ? html`To get them again, turn them on in
                <a href="../settings/notifications">Settings, Notifications</a>.`
            : html`By mistake? <a href="../subscribe/${link}">Get these emails again</a>. Nobody else can turn
                them on.`
        }
      </p>`,
  );
}

export function againQuestion(subscriber: Subscriber): Markup {
  return subscriberPage(
    'Get these emails again?',
    html`<p>Runcost will send ${emailsTo(subscriber)}.</p>
      <form method="post"><button>Subscribe again</button></form>`,
  );
}

export function againDone(subscriber: Subscriber): Markup {
  return subscriberPage('You are subscribed', html`<p>Runcost sends ${emailsTo(subscriber)}.</p>`);
}

function emailsTo({ organization, email, isMember }: Subscriber): Markup {
  return html`${isMember ? 'alerts' : 'alerts and reports'} for <b>${shownName(organization)}</b> to
    <b>${shownName(email)}</b>`;
}

export const errorPage = linkErrorPage(
  html`<p>It may be incomplete. Or its member has left, or has a new address.</p>
    <p>You can also turn off alert emails in the dashboard: Settings, Members and sign-in.</p>`,
);

/** `advice` is shown for an invalid link. */
export function linkErrorPage(advice: Markup) {
  return (status: number, detail: string): Markup =>
    status === 404
      ? subscriberPage('This link is not valid', advice)
      : subscriberPage('Something went wrong', html`<p>${detail}</p>`);
}

export function subscriberPage(title: string, content: Markup): Markup {
  return { markup: simplePage(title, content.markup) };
}

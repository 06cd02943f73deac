import type { Program } from '../../../context.ts';
import { cliActor } from '../../../platform/lib/actor.ts';
import { PublicError } from '../../../platform/lib/errors.ts';
import { findUnsubscribing, secretForUnsubscribing, updateMember } from '../../../tenancy/members/members.ts';
import { getOrganization } from '../../../tenancy/organizations/organizations.ts';
import {
  hashSecret,
  newSecret,
  readSecret,
  secretMatches,
  writeSecret,
} from '../../../tenancy/tokens/tokens.ts';
import { html, type Markup } from '../../channels/email/html.ts';
import { shownName } from '../../channels/wording.ts';
import type { NotificationProgram } from '../context.ts';

export type Subscriber = { orgId: string; organization: string; memberId: string; email: string };

export async function unsubscribeLink(
  { db, publicUrl }: Pick<NotificationProgram, 'db' | 'publicUrl'>,
  orgId: string,
  email: string,
): Promise<string> {
  const parts = await secretForUnsubscribing(db, { orgId, email, secret: newSecret() });
  return `${publicUrl()}/unsubscribe/${writeSecret('unsubscribe', { orgId, ...parts })}`;
}

export async function findSubscriber({ db }: Pick<Program, 'db'>, text: string): Promise<Subscriber> {
  const parts = readSecret('unsubscribe', text);
  if (!parts) throw linkNotFound();
  const { orgId, id } = parts;
  const member = await findUnsubscribing(db, orgId, id);
  if (!member || !secretMatches(parts.secret, hashSecret(member.secret))) throw linkNotFound();
  const { login, name } = await getOrganization({ db, actor: { orgId } });
  return { orgId, organization: login ?? name, memberId: id, email: member.email };
}

export async function unsubscribe(program: Program, text: string): Promise<Subscriber> {
  const subscriber = await findSubscriber(program, text);
  const { orgId, memberId } = subscriber;
  const actor = { ...cliActor(orgId), scopes: [], name: 'unsubscribe link' };
  await updateMember({ ...program, actor }, memberId, { alert_emails: false });
  return subscriber;
}

export function linkNotFound(): PublicError {
  return new PublicError('not_found', 'link_not_found', 'This unsubscribe link is not valid.');
}

/** Asks first, because mail scanners open links. */
export function questionPage({ organization, email }: Subscriber): Markup {
  return subscriberPage(
    'Unsubscribe from alert emails?',
    html`<p>
        Runcost will stop sending alerts for <b>${shownName(organization)}</b> to <b>${shownName(email)}</b>.
      </p>
      <form method="post"><button>Unsubscribe</button></form>`,
  );
}

export function donePage({ organization, email }: Subscriber): Markup {
  return subscriberPage(
    'You are unsubscribed',
    html`<p>
        Runcost no longer sends alerts for <b>${shownName(organization)}</b> to <b>${shownName(email)}</b>.
      </p>
      <p>To turn them on again, open Settings, Members and sign-in in the dashboard.</p>`,
  );
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

const style: Markup = {
  markup: `
:root { color-scheme: light dark; }
body { margin: 0; padding: 12vh 20px; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 30rem; margin: auto; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; }
button { font: inherit; font-weight: 600; padding: 10px 20px; border: 0; border-radius: 7px; background: #0b7285; color: #fff; cursor: pointer; }
`,
};

export function subscriberPage(title: string, content: Markup): Markup {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} · Runcost</title>
        <style>
          ${style}
        </style>
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html> `;
}

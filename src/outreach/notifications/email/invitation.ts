import { randomId } from '../../../platform/lib/ids.ts';
import type { InvitationMail, SendInvitation } from '../../../tenancy/invitations/invitations.ts';
import type { Mailer } from '../../channels/email/mailer.ts';
import { emailOf } from '../../channels/email/message.ts';
import { invitationWording } from '../../channels/wording.ts';

const sendMilliseconds = 20_000;

/** Sends at once and stores nothing, because the link is a secret of which only the hash is kept. */
export function invitationSender(mailer: Mailer | null): SendInvitation {
  if (!mailer) return null;
  return async (invitation) => {
    const mail = { ...invitationEmail(invitation), to: invitation.to, messageId: randomId('inv') };
    await mailer.send(mail, sendMilliseconds);
  };
}

function invitationEmail(invitation: InvitationMail) {
  const wording = invitationWording(invitation);
  const why = `You get this email because somebody at ${wording.organization} invited this address.`;
  return emailOf(wording, [why, 'If you do not expect it, ignore it: nothing happens.']);
}

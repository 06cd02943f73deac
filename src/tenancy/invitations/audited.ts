import { say, type AuditedKind } from '../audit/words.ts';

export const invitation = {
  title: 'Invitations',
  words: {
    accept: ({ email }) => say`accepted the invitation as ${email}`,
    create: ({ email, role }) => say`invited ${email || 'somebody by a link'} as ${role}`,
    resend: ({ email }) => say`made a new invitation link ${email && say`for ${email}`}`,
    revoke: ({ email, why }) =>
      why === 'address_proven'
        ? say`ended another invitation of ${email}`
        : say`revoked the invitation ${email && say`of ${email}`}`,
  },
} satisfies AuditedKind;

import { changedIn, say, type AuditedKind } from '../audit/words.ts';

export const member = {
  title: 'Members',
  words: {
    add: ({ email, role }) => say`added ${email} as ${role}`,
    remove: ({ email }) => say`removed ${email}`,
    test_email: (_, { name }) => say`sent a test email to ${name ?? 'a member'}`,
    update: (details, target) => changedIn(target.name ?? 'a member', details, target),
  },
} satisfies AuditedKind;

export const mailAddress = {
  title: 'Email addresses',
  words: {
    subscribe: ({ email }) => say`let emails to ${email} through again`,
    unsubscribe: ({ email }) => say`stopped emails to ${email}`,
  },
} satisfies AuditedKind;
